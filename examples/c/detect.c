/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the lines in each image, as 'vsmax detect' does:
 *   cc detect.c -o detect $(pkg-config --cflags --libs vsmax)
 *   ./detect photo.jpg
 */
#include <stdio.h>
#include <vsmax/c/vsmax.h>

static void print_line(const char* path, const vsmax_result* result, const vsmax_line* line) {
  const double degrees = line->theta * 180.0 / 3.14159265358979323846;
  printf("%s: theta %.2f deg, rho %.2f px, confidence %.2f (%s)", path, degrees, line->rho,
         line->confidence, result->model);
  if (line->is_visible)
    printf(", from (%.1f, %.1f) to (%.1f, %.1f)\n", line->x1, line->y1, line->x2, line->y2);
  else
    printf(", outside the image\n");
}

int main(int argc, char** argv) {
  vsmax_recoverer* recoverer = NULL;
  int failed = 0;
  if (vsmax_recoverer_create("auto", &recoverer) != VSMAX_OK) {
    fprintf(stderr, "%s\n", vsmax_last_error());
    return 1;
  }
  for (int i = 1; i < argc; ++i) {
    vsmax_result result = VSMAX_RESULT_INIT;
    if (vsmax_recover_file(recoverer, argv[i], NULL, &result) != VSMAX_OK) {
      fprintf(stderr, "%s\n", vsmax_last_error());
      failed = 1;
      continue;
    }
    if (result.line_count == 0) printf("%s: no line\n", argv[i]);
    for (size_t n = 0; n < result.line_count; ++n) print_line(argv[i], &result, &result.lines[n]);
  }
  vsmax_recoverer_destroy(recoverer);
  return failed;
}
