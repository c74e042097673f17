/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface of vsmax: image in, lines out. Link with -lvsmax (libvsmax.so; no LibTorch).
 *
 *   vsmax_recoverer* recoverer;
 *   vsmax_result result = VSMAX_RESULT_INIT;
 *   if (vsmax_recoverer_create("auto", &recoverer) != VSMAX_OK ||
 *       vsmax_recover_file(recoverer, "photo.jpg", NULL, &result) != VSMAX_OK)
 *     fprintf(stderr, "%s\n", vsmax_last_error());
 *
 * Include <vsmax/c/vsmax.h>: <vsmax/vsmax.h> is the C++ interface, which no C compiler can read.
 *
 * Errors: a function that can fail returns a vsmax_status. On failure it leaves its outputs as they
 * were, and vsmax_last_error() says in one sentence what was wrong. No function prints, exits or
 * throws.
 *
 * Threads: a recoverer serves one thread at a time; different recoverers are independent.
 *
 * Later versions: structs whose first member is struct_size may grow at their end, so initialise
 * them with their macro. A program keeps running with every later library of the same
 * VSMAX_ABI_VERSION, which is the N in the file name libvsmax.so.N.
 */
#ifndef VSMAX_C_VSMAX_H_
#define VSMAX_C_VSMAX_H_

#include <stddef.h> /* NOLINT(modernize-deprecated-headers): it is C */
#include <stdint.h> /* NOLINT(modernize-deprecated-headers): it is C */

#define VSMAX_ABI_VERSION 0

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(modernize-*,readability-identifier-naming): it is C */

typedef enum vsmax_status {
  VSMAX_OK = 0,
  VSMAX_ERROR_ARGUMENT = 1, /* the call is wrong: a null pointer, a size of 0, a stride too small */
  VSMAX_ERROR_INPUT = 2,    /* a file, model or image cannot be used */
  VSMAX_ERROR_MEMORY = 3,   /* out of memory */
  VSMAX_ERROR_INTERNAL = 4, /* an error in the library */
  VSMAX_ERROR_STOPPED = 5   /* the caller's own function asked to stop */
} vsmax_status;

/* A model with its working memory. */
typedef struct vsmax_recoverer vsmax_recoverer;

typedef enum vsmax_sample_type {
  VSMAX_UINT8 = 0,  /* from black, 0, to white, 255 */
  VSMAX_UINT16 = 1, /* from black, 0, to white, 65535; in the byte order of the machine */
  VSMAX_FLOAT32 = 2 /* from black, 0.0, to white, 1.0; values beyond are not clipped */
} vsmax_sample_type;

typedef enum vsmax_channels {
  VSMAX_GRAY = 0,
  VSMAX_RGB = 1, /* interleaved samples; for RGBA, set pixel_stride to four samples */
  VSMAX_BGR = 2  /* the same in reverse order, as in OpenCV */
} vsmax_channels;

/* An image that the caller owns. It is read during the call and not copied as a whole. */
typedef struct vsmax_image {
  size_t struct_size;
  const void* pixels;     /* the top left pixel; need not be aligned */
  int width, height;      /* at least 2 each, and at most 2^28 pixels altogether */
  ptrdiff_t row_stride;   /* bytes from a row to the one below, negative if the image is stored
                             upside down; 0 if the rows follow one another without a gap */
  ptrdiff_t pixel_stride; /* bytes from a pixel to the one on its right; 0 if there is no gap */
  int sample_type;        /* a vsmax_sample_type */
  int channels;           /* a vsmax_channels */
} vsmax_image;
#define VSMAX_IMAGE_INIT \
  { sizeof(vsmax_image), NULL, 0, 0, 0, 0, VSMAX_UINT8, VSMAX_GRAY }

/* Which lines are wanted. */
typedef struct vsmax_options {
  size_t struct_size;
  int most_lines;        /* at most this many, up to 1000; 0 for as many as there are, at most 32;
                            1 reads the one line that explains the whole image */
  double min_confidence; /* less certain lines are left out */
} vsmax_options;
#define VSMAX_OPTIONS_INIT \
  { sizeof(vsmax_options), 0, 0.5 }

/* A line: x cos(theta) + y sin(theta) = rho, with x to the right and y down from the image centre,
 * ((width - 1) / 2, (height - 1) / 2). The struct never grows; the reserved members are 0. */
typedef struct vsmax_line {
  double theta;      /* the angle of the normal, in [0, pi) */
  double rho;        /* the signed distance from the image centre, in pixels */
  double confidence; /* the EA-score to expect, in [0, 1] */
  int is_visible;    /* 0 if the line misses the image; then the end points are 0 */
  int has_spread;    /* 0 if the model cannot tell how precise the line is; then all members
                        from theta_sd on are 0 */
  double x1, y1;     /* end points, from the centre of the top left pixel */
  double x2, y2;
  double theta_sd; /* standard deviations, in radians and pixels, and their correlation */
  double rho_sd;
  double correlation;
  double theta_68[2]; /* theta and rho lie in these intervals with probability 0.68 or 0.95; */
  double theta_95[2]; /* theta may lie outside [0, pi) */
  double rho_68[2];
  double rho_95[2];
  double reserved[8];
} vsmax_line;

/* What was found. All pointers belong to the recoverer and last until it is used again. */
typedef struct vsmax_result {
  size_t struct_size;
  const vsmax_line* lines; /* by falling confidence; NULL if there is none */
  size_t line_count;
  const char* model; /* the model that answered: for "auto", the one it chose */
  int width;         /* of the image */
  int height;
} vsmax_result;
#define VSMAX_RESULT_INIT \
  { sizeof(vsmax_result), NULL, 0, NULL, 0, 0 }

/* How to score a model on synthetic lines. Sizes of 0 mean those that the model was trained with,
 * or else the paper's: 256x256 pixels, 127 angles and 127 offsets. */
typedef struct vsmax_evaluation_options {
  size_t struct_size;
  double sigma;        /* standard deviation of the noise; black is 0, white is 1 */
  int continuous;      /* 0 for every resolvable line of the grid, 1 for as many lines off it */
  int threads;         /* 0 for one per processor; the scores do not depend on it */
  int width, height;   /* of the images */
  int angles, offsets; /* of the grid; the number of offsets is odd */
  uint64_t seed;       /* of the noise */
  /* If not NULL, called after every line, from any thread but only one at a time. To continue, it
   * returns 0; anything else stops with VSMAX_ERROR_STOPPED. */
  int (*progress)(void* data, size_t done, size_t total);
  void* data; /* passed to `progress` */
} vsmax_evaluation_options;
#define VSMAX_EVALUATION_OPTIONS_INIT \
  { sizeof(vsmax_evaluation_options), 0.0, 0, 0, 0, 0, 0, 0, 42, NULL, NULL }

/* EA-scores: how many, their mean and their standard deviation. */
typedef struct vsmax_scores {
  size_t count;
  double mean;
  double deviation;
} vsmax_scores;

typedef struct vsmax_evaluation {
  size_t struct_size;
  vsmax_scores all;
  vsmax_scores seam;        /* the lines within five of 127 angles of theta = 0 */
  vsmax_scores interior;    /* all others */
  double calibration_error; /* how far the confidence is from the EA-score, on average */
} vsmax_evaluation;
#define VSMAX_EVALUATION_INIT \
  { sizeof(vsmax_evaluation), {0, 0.0, 0.0}, {0, 0.0, 0.0}, {0, 0.0, 0.0}, 0.0 }

/* What went wrong in the last call on this thread that failed, as one sentence; "" if none has.
 * It lasts until the next failure on this thread. Never NULL. */
const char* vsmax_last_error(void);

/* The version of the library, such as "0.1.0". */
const char* vsmax_version(void);

/* The VSMAX_ABI_VERSION that the library was built with. */
int vsmax_abi_version(void);

/* The name of a built-in model, counted from 0; NULL beyond the last. */
const char* vsmax_builtin_model(size_t index);

/* What the model is for, as one sentence; NULL beyond the last. */
const char* vsmax_builtin_description(size_t index);

/* Makes a recoverer with a built-in model ("auto" chooses one for each image) or with the model in
 * a weights file (.safetensors). Free it with vsmax_recoverer_destroy. */
vsmax_status vsmax_recoverer_create(const char* model, vsmax_recoverer** recoverer);

/* The same for dark lines on a bright background only; "auto" stands for "default" here. */
vsmax_status vsmax_recoverer_create_dark(const char* model, vsmax_recoverer** recoverer);

/* Makes another recoverer that shares the model, for another thread. */
vsmax_status vsmax_recoverer_copy(const vsmax_recoverer* original, vsmax_recoverer** copy);

/* Frees a recoverer and all its results; NULL is allowed. */
void vsmax_recoverer_destroy(vsmax_recoverer* recoverer);

/* How many threads run the network on one image, 1 by default; 0 for one per processor. The lines
 * do not depend on it. */
vsmax_status vsmax_recoverer_set_threads(vsmax_recoverer* recoverer, int threads);

/* Something that the user should know about the model, as one sentence; "" if nothing. Belongs to
 * the recoverer. */
const char* vsmax_recoverer_warning(const vsmax_recoverer* recoverer);

/* Finds the lines in an image. `options` may be NULL for VSMAX_OPTIONS_INIT. */
vsmax_status vsmax_recover(vsmax_recoverer* recoverer, const vsmax_image* image,
                           const vsmax_options* options, vsmax_result* result);

/* The same for a PNG or JPEG file, of any bit depth, rotated according to its EXIF orientation; "-"
 * reads standard input. */
vsmax_status vsmax_recover_file(vsmax_recoverer* recoverer, const char* path,
                                const vsmax_options* options, vsmax_result* result);

/* The same for the content of such a file. */
vsmax_status vsmax_recover_encoded(vsmax_recoverer* recoverer, const void* bytes, size_t size,
                                   const vsmax_options* options, vsmax_result* result);

/* The EA-score of two lines in an image of this size: 1 if they are the same, 0 if one misses the
 * image. Only theta and rho are read. */
vsmax_status vsmax_ea_score(const vsmax_line* a, const vsmax_line* b, int width, int height,
                            double* score);

/* Scores a model on synthetic lines, as 'vsmax evaluate' does. `options` may be NULL for
 * VSMAX_EVALUATION_OPTIONS_INIT. */
vsmax_status vsmax_evaluate(const char* model, const vsmax_evaluation_options* options,
                            vsmax_evaluation* evaluation);

/* NOLINTEND(modernize-*,readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* VSMAX_C_VSMAX_H_ */
