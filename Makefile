# The entry point. Each target installs what it needs (Debian 12, as root or with sudo) and works on a
# fresh clone.
BUILD ?= build
DEV ?= build-dev
JOBS ?= $(shell nproc)
PYTHON ?= /usr/bin/python3

.PHONY: help demo torch deb wheels web docs test test-deb test-wheel test-torch2 test-neon test-web test-docs test-scale test-ray test-torchrun lint bench bench-cuda bench-ladder format asan clean

help:
	@echo "make demo         build the core, find the lines in example photographs and images"
	@echo "make test         build everything, check the style, run the whole suite"
	@echo "make torch        build vsmax-torch, for training and for suites of experiments"
	@echo "make deb          build Debian packages of the program and the C and C++ libraries"
	@echo "make test-deb     install them in an empty Debian, use them, remove them (needs root)"
	@echo "make wheels       build the Python package without torch, dist/*.whl"
	@echo "make test-wheel   install it in clean environments and use it; PYTHONS='python3.10 ...'"
	@echo "                  names the interpreters (also in an empty Debian, as root)"
	@echo "make bench        measure the kernels against OpenCV, Eigen and LibTorch"
	@echo "make bench-cuda   measure the CUDA kernels against torch and cuSPARSE (needs a GPU)"
	@echo "make bench-ladder run every step of the ladder in docs/performance.md"
	@echo "make test-torch2  test the Python package with a torch 2 from the package index"
	@echo "                  (gigabytes); TORCH=2.7 selects the version"
	@echo "make test-scale   test several processes: Ray, from the package index, and torchrun"
	@echo "make test-neon    run the kernels' tests on ARM, under qemu"
	@echo "make web          build the web page, $(WEB)/site/index.html"
	@echo "make test-web     test the page in a headless Chromium, and its answers against the program's"
	@echo "make docs         build the documentation site, $(DOCS)/html/index.html"
	@echo "make test-docs    check the site's links in a headless Chromium, and run its examples"
	@echo "make asan         run the core's tests under the sanitizers"
	@echo "make lint         run only the style checks (make test installs what they need)"
	@echo "make format       format the sources in place"
	@echo "make clean        remove everything that was built"

demo:
	@tools/install_packages.sh core
	@cmake --preset release -B $(BUILD) >/dev/null
	@cmake --build $(BUILD) --target vsmax vsmax_shared -j $(JOBS)
	@tools/demo.sh $(BUILD)/vsmax demo

torch:
	@tools/install_packages.sh core torch plots
	cmake --preset release -B $(BUILD) -DVSMAX_WITH_TORCH=ON
	cmake --build $(BUILD) --target vsmax vsmax_shared vsmax-torch -j $(JOBS)

deb:
	@tools/install_packages.sh core deb
	@cmake --preset deb -B $(BUILD)-deb >/dev/null
	@cmake --build $(BUILD)-deb -j $(JOBS)
	@cd $(BUILD)-deb && cpack -G DEB

test-deb: deb
	@tools/install_packages.sh deb-test
	@tests/install/deb_test.sh $(BUILD)-deb

# One wheel for every version of Python, with all the libraries it needs except those of manylinux.
WHEEL = $(BUILD)-wheel
wheels: $(WHEEL)/venv/wheel.stamp
	@tools/install_packages.sh core
	@rm -rf $(WHEEL)/raw dist
	$(WHEEL)/venv/bin/pip wheel -q --no-build-isolation --no-deps --config-settings=build-dir=$(WHEEL)/cmake -w $(WHEEL)/raw .
	@PATH="$(abspath $(WHEEL))/venv/bin:$$PATH" auditwheel repair --strip -w dist $(WHEEL)/raw/*.whl 2>$(WHEEL)/auditwheel.log
	@ls -l dist

PYTHONS ?= $(PYTHON)
test-wheel: wheels
	@tools/install_packages.sh wheel-test
	@tests/install/wheel_test.sh $(WHEEL) dist/*.whl $(PYTHONS)

test:
	@tools/install_packages.sh core test torch python
	@$(MAKE) --no-print-directory $(DEV)/venv/python.stamp
	cmake --preset dev -B $(DEV)
	cmake --build $(DEV) -j $(JOBS)
	$(MAKE) --no-print-directory lint
	ctest --test-dir $(DEV) --output-on-failure -j $(JOBS)

# A fresh virtual environment, so that anything missing from the package's own list is noticed.
TORCH2 = $(BUILD)-torch2
test-torch2:
	@tools/install_packages.sh core python
	rm -rf $(TORCH2) && $(PYTHON) -m venv $(TORCH2)
	$(TORCH2)/bin/pip install -q $(if $(TORCH),'torch==$(TORCH).*') -r tools/requirements-torch2.txt -r tools/requirements-python.txt
	$(TORCH2)/bin/pip install --no-build-isolation .
	cd tests/python && $(abspath $(TORCH2))/bin/python -m pytest -q -rs -p no:cacheprovider .

test-scale: test-ray test-torchrun

# Without torch, like an installation of vsmax[ray].
SCALE = $(BUILD)-scale
test-ray: $(SCALE)/venv/ray.stamp
	@tools/install_packages.sh core
	@cmake --preset release -B $(SCALE) >/dev/null
	@cmake --build $(SCALE) --target vsmax_package -j $(JOBS)
	@cmake --install $(SCALE) --component python --prefix $(SCALE)/site >/dev/null
	PYTHONPATH=$(abspath $(SCALE))/site VSMAX=$(abspath $(SCALE))/vsmax VSMAX_PYTHON=$(abspath $(SCALE))/venv/bin/python \
	  $(SCALE)/venv/bin/python tests/scale/ray_test.py

test-torchrun:
	@tools/install_packages.sh core torch python
	@cmake --preset release -B $(BUILD) -DVSMAX_WITH_TORCH=ON >/dev/null
	@cmake --build $(BUILD) --target vsmax vsmax-torch -j $(JOBS)
	$(PYTHON) tests/scale/torchrun_test.py $(BUILD)/vsmax $(BUILD)/vsmax-torch configs

lint: $(DEV)/venv/ruff.stamp
	@tools/lint.sh $(DEV)

bench:
	@tools/install_packages.sh core torch bench plots
	cmake --preset bench -B $(BUILD)-bench
	cmake --build $(BUILD)-bench --target vsmax-bench -j $(JOBS)
	@mkdir -p results/bench
	$(BUILD)-bench/vsmax-bench --benchmark_out=results/bench/bench.json
	/usr/bin/python3 benchmarks/plot.py results/bench

bench-cuda:
	@tools/install_packages.sh core
	@cmake --preset release -B $(BUILD)-cuda-bench -DVSMAX_WITH_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=native >/dev/null
	cmake --build $(BUILD)-cuda-bench --target vsmax-cuda-bench -j $(JOBS)
	python3 benchmarks/cuda/cuda_bench.py $(BUILD)-cuda-bench/vsmax-cuda-bench results/bench-cuda

bench-ladder:
	@tools/install_packages.sh core torch bench
	cmake --preset bench -B $(BUILD)-bench
	cmake --build $(BUILD)-bench --target vsmax-bench -j $(JOBS)
	$(BUILD)-bench/vsmax-bench --benchmark_filter=^ladder/

# The kernels' tests on 64-bit ARM, under qemu-user.
test-neon:
	@tools/install_packages.sh neon
	@tools/test_neon.sh $(BUILD)-neon

# Debian's emscripten looks for its JavaScript libraries where only Debian's own Node finds them.
WEB ?= build-web
web: export NODE_PATH = /usr/share/nodejs
web:
	@tools/install_packages.sh web
	@emcmake cmake -G Ninja -B $(WEB) -DCMAKE_BUILD_TYPE=Release -DVSMAX_BUILD_SHARED=OFF >/dev/null
	@cmake --build $(WEB) --target vsmax_web -j $(JOBS)
	@$(PYTHON) web/build_page.py $(WEB)/web $(WEB)/site/index.html

test-web: web
	@tools/install_packages.sh core web-test
	@cmake --preset release -B $(BUILD) >/dev/null
	@cmake --build $(BUILD) --target vsmax -j $(JOBS)
	$(PYTHON) tests/web/parity_test.py $(BUILD)/vsmax $(WEB)
	$(PYTHON) tests/web/page_test.py $(BUILD)/vsmax $(WEB)/site/index.html

# The site shows the program's help texts and the web page, so it needs both.
DOCS ?= $(BUILD)/docs
docs: web $(DOCS)/venv/docs.stamp
	@tools/install_packages.sh core docs
	@cmake --preset release -B $(BUILD) >/dev/null
	@cmake --build $(BUILD) --target vsmax vsmax_shared -j $(JOBS)
	@$(DOCS)/venv/bin/python docs/site/build.py $(BUILD)/vsmax $(WEB)/site/index.html $(DOCS)

test-docs: docs
	@tools/install_packages.sh core docs-test
	$(PYTHON) tests/docs/site_test.py $(DOCS)/html
	$(PYTHON) tests/docs/samples_test.py $(BUILD)

asan:
	@tools/install_packages.sh core test
	cmake --preset asan
	cmake --build build-asan -j $(JOBS)
	ctest --test-dir build-asan --output-on-failure -j $(JOBS)

format: $(DEV)/venv/ruff.stamp
	@tools/install_packages.sh test
	git ls-files --cached --others --exclude-standard '*.h' '*.c' '*.cpp' '*.cu' | xargs clang-format -i
	$(DEV)/venv/bin/ruff format --quiet .

$(DEV)/venv/ruff.stamp: tools/requirements-lint.txt
	@$(PYTHON) -m venv --system-site-packages $(DEV)/venv
	@$(DEV)/venv/bin/pip install -q -r tools/requirements-lint.txt
	@touch $@

$(DOCS)/venv/docs.stamp: tools/requirements-docs.txt
	@tools/install_packages.sh docs
	@$(PYTHON) -m venv $(DOCS)/venv
	@$(DOCS)/venv/bin/pip install -q -r tools/requirements-docs.txt
	@touch $@

$(DEV)/venv/python.stamp: tools/requirements-python.txt
	@$(PYTHON) -m venv --system-site-packages $(DEV)/venv
	@$(DEV)/venv/bin/pip install -q -r tools/requirements-python.txt
	@touch $@

$(SCALE)/venv/ray.stamp: tools/requirements-ray.txt
	@tools/install_packages.sh venv
	@$(PYTHON) -m venv $(SCALE)/venv
	@$(SCALE)/venv/bin/pip install -q -r tools/requirements-ray.txt
	@touch $@

$(WHEEL)/venv/wheel.stamp: tools/requirements-wheel.txt
	@tools/install_packages.sh venv
	@$(PYTHON) -m venv $(WHEEL)/venv
	@$(WHEEL)/venv/bin/pip install -q -r tools/requirements-wheel.txt
	@touch $@

clean:
	rm -rf $(WHEEL) dist $(BUILD) $(DEV) $(BUILD)-deb $(BUILD)-torch2 $(BUILD)-scale $(BUILD)-neon $(BUILD)-bench $(BUILD)-cuda-bench $(WEB) build-asan build-cuda build-gpu demo
