# The core's tests, layer by layer. None links LibTorch, so a stray include does not compile.
vsmax_test(base SOURCES parallel_test.cpp)
vsmax_test(geometry
  SOURCES eigenvector_derivative_test.cpp embedded_line_test.cpp line_test.cpp projective_test.cpp
          symmetric_eigen_test.cpp unweighted_veronese_test.cpp veronese_test.cpp visible_segment_test.cpp
  PROPERTIES geometry_property_test.cpp)
vsmax_test(io
  SOURCES file_test.cpp safetensors_test.cpp sha256_test.cpp
  LINKS nlohmann_json::nlohmann_json)
vsmax_test(image
  SOURCES damaged_image_test.cpp image_view_test.cpp jpeg_test.cpp png_test.cpp)
vsmax_test(conv
  SOURCES conv_kernels_test.cpp scale_kernels_test.cpp trained_layer_test.cpp)
vsmax_test(evidence
  SOURCES area_average_test.cpp drawing_test.cpp edge_evidence_test.cpp erase_line_test.cpp
          even_ground_test.cpp front_net_test.cpp learned_evidence_test.cpp placement_test.cpp
          rejected_images_test.cpp
  PROPERTIES placement_property_test.cpp)
vsmax_test(hough
  SOURCES bin_edges_test.cpp bin_rule_test.cpp cells_test.cpp grid_mirror_test.cpp grid_test.cpp
          hough_accuracy_test.cpp hough_laws_test.cpp hough_memory_test.cpp hough_parity_test.cpp
          oriented_hough_test.cpp
  PROPERTIES hough_property_test.cpp)
vsmax_test(refine
  SOURCES refine_net_file_test.cpp refine_net_test.cpp whiten_test.cpp)
vsmax_test(readout
  SOURCES barycentre_bias_test.cpp concentration_test.cpp moments_test.cpp polar_readout_test.cpp readout_gradient_test.cpp soft_readout_test.cpp
          softmax_test.cpp veronese_soft_argmax_test.cpp window_test.cpp
  PROPERTIES readout_property_test.cpp)
vsmax_test(posterior
  SOURCES line_estimator_test.cpp line_scan_test.cpp noise_model_test.cpp spread_test.cpp)
vsmax_test(data
  SOURCES csv_test.cpp labelled_folder_test.cpp noise_test.cpp stroke_test.cpp permutation_test.cpp
          philox_test.cpp synthetic_line_test.cpp)
vsmax_test(recover
  SOURCES auto_choice_test.cpp auto_model_test.cpp batch_recoverer_test.cpp
          builtin_weights_test.cpp calibration_test.cpp confidence_test.cpp drawn_lines_test.cpp
          edge_refinement_test.cpp grid_choice_test.cpp line_support_test.cpp model_spec_test.cpp
          model_test.cpp pipeline_test.cpp prominence_test.cpp recover_edges_test.cpp
          recover_ground_test.cpp recover_lines_test.cpp recover_steps_test.cpp recover_views_test.cpp
          recoverer_memory_test.cpp recoverer_state_test.cpp ridge_refinement_test.cpp
          several_lines_test.cpp thin_lines_test.cpp trace_test.cpp
  PROPERTIES several_lines_property_test.cpp)
target_compile_definitions(vsmax_recover_tests PRIVATE VSMAX_MODELS="${PROJECT_SOURCE_DIR}/models")
vsmax_test(score
  SOURCES assignment_test.cpp ea_score_test.cpp evaluation_test.cpp image_evaluation_test.cpp
          line_set_evaluation_test.cpp reliability_test.cpp
  PROPERTIES ea_score_property_test.cpp)
vsmax_test(ceiling
  SOURCES cell_scores_test.cpp pixel_evidence_test.cpp posterior_evaluation_test.cpp
          posterior_test.cpp)
if(VSMAX_BUILD_APPS)
  vsmax_test(draw
    SOURCES canvas_test.cpp captions_test.cpp explain_test.cpp gallery_test.cpp overlay_test.cpp
            strip_plot_test.cpp svg_test.cpp
    LINKS vsmax_draw)
endif()
if(VSMAX_BUILD_SHARED)  # before the core, which holds the same functions
  vsmax_test(c
    SOURCES arguments_test.cpp evaluate_test.cpp handles_test.cpp parity_test.cpp
    LINKS vsmax_shared)
  target_compile_definitions(vsmax_c_tests PRIVATE VSMAX_MODELS="${PROJECT_SOURCE_DIR}/models"
    VSMAX_PHOTOS="${PROJECT_SOURCE_DIR}/examples/photos" VSMAX_EXPECTED_VERSION="${PROJECT_VERSION}")
endif()
