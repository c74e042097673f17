# The front door. Each target installs what it needs (Debian 12, as root or with sudo) and can be
# called alone on a fresh clone.
BUILD ?= build
JOBS ?= $(shell nproc)
PYTHON ?= /usr/bin/python3

.PHONY: help demo torch test test-torch2 test-neon lint bench format asan clean

help:
	@echo "make demo         build the core, recover lines from example images, draw them"
	@echo "make test         build everything and run the whole suite, style checks included"
	@echo "make torch        build vsmax-torch, for training"
	@echo "make bench        measure the kernels against OpenCV, Eigen and LibTorch"
	@echo "make test-torch2  the Python package with a torch 2 of the package index (gigabytes);"
	@echo "                  TORCH=2.7 picks the version"
	@echo "make test-neon    run the kernels' tests on ARM, under qemu"
	@echo "make asan         run the core's tests under the sanitizers"
	@echo "make lint         the style checks alone; make test installs what they need"
	@echo "make format       format the sources in place"
	@echo "make clean        remove all that was built"

demo:
	@tools/install_packages.sh core
	@cmake --preset release -B $(BUILD) >/dev/null
	@cmake --build $(BUILD) --target vsmax vsmax-demo -j $(JOBS)
	@$(BUILD)/vsmax-demo demo

torch:
	@tools/install_packages.sh core torch
	cmake --preset release -B $(BUILD) -DVSMAX_WITH_TORCH=ON
	cmake --build $(BUILD) --target vsmax vsmax-torch -j $(JOBS)

test:
	@tools/install_packages.sh core test torch python
	@$(MAKE) --no-print-directory $(BUILD)/venv/python.stamp
	cmake --preset dev -B $(BUILD) -DVSMAX_WITH_TORCH=ON -DVSMAX_BUILD_PYTHON=ON
	cmake --build $(BUILD) -j $(JOBS)
	$(MAKE) --no-print-directory lint
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

# A fresh virtual environment, so that what is missing from the package's own list is found missing.
TORCH2 = $(BUILD)-torch2
test-torch2:
	@tools/install_packages.sh core python
	rm -rf $(TORCH2) && $(PYTHON) -m venv $(TORCH2)
	$(TORCH2)/bin/pip install -q $(if $(TORCH),'torch==$(TORCH).*') -r tools/requirements-torch2.txt -r tools/requirements-python.txt
	$(TORCH2)/bin/pip install --no-build-isolation .
	cd tests/python && ../../$(TORCH2)/bin/python -m pytest -q -rs -p no:cacheprovider .

lint: $(BUILD)/venv/ruff.stamp
	@tools/lint.sh $(BUILD)

bench:
	@tools/install_packages.sh core torch bench plots
	cmake --preset bench -B $(BUILD)-bench
	cmake --build $(BUILD)-bench --target vsmax-bench -j $(JOBS)
	@mkdir -p results/bench
	$(BUILD)-bench/vsmax-bench --benchmark_out=results/bench/bench.json
	/usr/bin/python3 benchmarks/plot.py results/bench

# The kernels' tests on 64-bit ARM, under qemu-user.
test-neon:
	@tools/install_packages.sh neon
	@tools/test_neon.sh $(BUILD)-neon

asan:
	@tools/install_packages.sh core test
	cmake --preset asan
	cmake --build build-asan -j $(JOBS)
	ctest --test-dir build-asan --output-on-failure -j $(JOBS)

format:
	@tools/install_packages.sh test
	git ls-files '*.h' '*.cpp' '*.cu' | xargs clang-format -i

$(BUILD)/venv/ruff.stamp: tools/requirements-lint.txt
	@$(PYTHON) -m venv --system-site-packages $(BUILD)/venv
	@$(BUILD)/venv/bin/pip install -q -r tools/requirements-lint.txt
	@touch $@

$(BUILD)/venv/python.stamp: tools/requirements-python.txt
	@$(PYTHON) -m venv --system-site-packages $(BUILD)/venv
	@$(BUILD)/venv/bin/pip install -q -r tools/requirements-python.txt
	@touch $@

clean:
	rm -rf $(BUILD) $(BUILD)-torch2 $(BUILD)-neon $(BUILD)-bench build-asan demo
