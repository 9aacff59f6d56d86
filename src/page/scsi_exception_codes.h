/* What an informational exception means: additional sense codes 5Dh (a failure is predicted) and 0Bh (a warning). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "metric/sample.h"

/* A code of a failure that the drive predicts. Not those that say that its rated life is used up, which is wear, nor that
 * the report is being tested. */
bool scsi_exception_is_failing(uint8_t asc, uint8_t ascq);

/* 5Dh or 0Bh, and no test. */
bool scsi_exception_is_one(uint8_t asc, uint8_t ascq);

enum { SCSI_EXCEPTION_TEXT_MAX = 96 };

/* The reason, as drive_warning spells it ("smart_failing", "life_used_up", "hot", ...; "other" where it has none for it), and
 * the code in words. Of a code that is an exception. */
const char *scsi_exception_describe(uint8_t asc, uint8_t ascq, char text[SCSI_EXCEPTION_TEXT_MAX]);

/* What a drive reports with that code, as samples; 00h and 00h say that all is well. */
void scsi_exception_put(uint8_t asc, uint8_t ascq, struct sample_sink *to);
