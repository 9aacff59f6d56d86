/* data/drives.csv: what it says of each drive, worked out by hand from manuals and reviews, not from the file. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "health/catalogue.h"

#define ABSENT RATED_ABSENT
#define STATED RATED_STATED
#define COMPUTED RATED_COMPUTED

static const struct rating {
	const char *model;
	unsigned capacity_gb;
	double tbw;
	enum rated_basis tbw_basis;
	double dwpd;
	enum rated_basis dwpd_basis;
	double years, afr_percent;
	enum rated_basis afr_basis;
	double mtbf_hours, uber, temperature_low, temperature_high;
	const char *temperature_where;
} ratings[] = {
	{ "ST800FM0043", 800, 14600, STATED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST400FM0053", 400, 7300, STATED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST200FM0053", 200, 3650, STATED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST800FM0013", 800, 14600, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST400FM0013", 400, 7300, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST200FM0013", 200, 3650, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST800FM0053", 800, 14600, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST400FM0073", 400, 7300, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST200FM0073", 200, 3650, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST800FM0023", 800, 14600, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST400FM0033", 400, 7300, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST200FM0033", 200, 3650, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST800FM0063", 800, 14600, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST800FM0033", 800, 14600, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST400FM0063", 400, 7300, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST200FM0063", 200, 3650, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST400FM0083", 400, 7300, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST200FM0083", 200, 3650, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST400FM0023", 400, 7300, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST200FM0023", 200, 3650, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST400FM0043", 400, 7300, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST200FM0043", 200, 3650, COMPUTED, 10, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST400FM0093", 400, 18250, COMPUTED, 25, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST400FM0103", 400, 18250, COMPUTED, 25, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST400FM0113", 400, 18250, COMPUTED, 25, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST400FM0123", 400, 18250, COMPUTED, 25, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST200FM0093", 200, 9125, COMPUTED, 25, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST200FM0103", 200, 9125, COMPUTED, 25, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST200FM0113", 200, 9125, COMPUTED, 25, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST200FM0123", 200, 9125, COMPUTED, 25, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST100FM0093", 100, 4562.5, COMPUTED, 25, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST100FM0103", 100, 4562.5, COMPUTED, 25, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST100FM0113", 100, 4562.5, COMPUTED, 25, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "ST100FM0123", 100, 4562.5, COMPUTED, 25, STATED, 5, 0.44, STATED, NAN, 1e-16, 0, 60, "internal" },
	{ "SDLL1DLR032TCAA1", 3200, 17520, COMPUTED, 3, STATED, 5, 0.35, STATED, 2500000, 1e-17, 0, 70, "case" },
	{ "SDLL1DLR016TCAA1", 1600, 8760, COMPUTED, 3, STATED, 5, 0.35, STATED, 2500000, 1e-17, 0, 70, "case" },
	{ "SDLL1DLR800GCDA1", 800, 4380, COMPUTED, 3, STATED, 5, 0.35, STATED, 2500000, 1e-17, 0, 70, "case" },
	{ "SDLL1DLR400GCCA1", 400, 2190, COMPUTED, 3, STATED, 5, 0.35, STATED, 2500000, 1e-17, 0, 70, "case" },
	{ "SDLL1CLR076TCDA1", 7680, NAN, ABSENT, NAN, ABSENT, 5, 0.35, STATED, 2500000, 1e-17, 0, 70, "case" },
	{ "SDLL1CLR038TCDA1", 3840, NAN, ABSENT, NAN, ABSENT, 5, 0.35, STATED, 2500000, 1e-17, 0, 70, "case" },
	{ "SDLL1CLR020TCDA1", 1920, NAN, ABSENT, NAN, ABSENT, 5, 0.35, STATED, 2500000, 1e-17, 0, 70, "case" },
	{ "SDLL1CLR960GCAA1", 960, NAN, ABSENT, NAN, ABSENT, 5, 0.35, STATED, 2500000, 1e-17, 0, 70, "case" },
	{ "SDLL1DLR480GCAA1", 480, NAN, ABSENT, NAN, ABSENT, 5, 0.35, STATED, 2500000, 1e-17, 0, 70, "case" },
	{ "HUSMM8080ASS201", 800, 14600, STATED, 10, STATED, 5, 0.437042, COMPUTED, 2000000, NAN, 0, 60, "ambient" },
	{ "HUSMM8040ASS200", 400, 7300, COMPUTED, 10, STATED, 5, 0.437042, COMPUTED, 2000000, NAN, 0, 60, "ambient" },
	{ "HUSMM8020ASS205", 200, 3650, COMPUTED, 10, STATED, 5, 0.437042, COMPUTED, 2000000, NAN, 0, 60, "ambient" },
	{ "HUSMH8080ASS200", 800, 36500, STATED, 25, STATED, 5, 0.437042, COMPUTED, 2000000, NAN, 0, 60, "ambient" },
	{ "HUSMH8040ASS204", 400, 18250, COMPUTED, 25, STATED, 5, 0.437042, COMPUTED, 2000000, NAN, 0, 60, "ambient" },
	{ "HUSMH8020ASS200", 200, 9125, COMPUTED, 25, STATED, 5, 0.437042, COMPUTED, 2000000, NAN, 0, 60, "ambient" },
	{ "HUSMR1010ASS200", 1000, 3650, COMPUTED, 2, STATED, 5, 0.437042, COMPUTED, 2000000, NAN, 0, 60, "ambient" },
	{ "HUSMR1050ASS201", 500, 1825, COMPUTED, 2, STATED, 5, 0.437042, COMPUTED, 2000000, NAN, 0, 60, "ambient" },
	{ "HUSMR1025ASS200", 250, 912.5, COMPUTED, 2, STATED, 5, 0.437042, COMPUTED, 2000000, NAN, 0, 60, "ambient" },
	{ "ZA3840NM10001", 3840, 7000, STATED, 1, STATED, 5, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "ZA1920NM10001", 1920, 3504, COMPUTED, 1, STATED, 5, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "ZA960NM10001", 960, 1752, COMPUTED, 1, STATED, 5, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "ZA480NM10001", 480, 876, COMPUTED, 1, STATED, 5, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "ZA240NM10001", 240, 438, STATED, 1, STATED, 5, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "XA960LE10043", 960, 3070, STATED, NAN, ABSENT, NAN, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "PX02SMF020", 200, 3650, COMPUTED, 10, STATED, 5, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "PX02SMF040", 400, 7300, STATED, 10, STATED, 5, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "PX02SMF080", 800, 14600, COMPUTED, 10, STATED, 5, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "PX02SSF040", 400, 21900, STATED, 30, STATED, 5, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "PX02SSB080", 800, 43800, STATED, 30, STATED, 5, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "HUSMM1620ASS204", 200, 3650, COMPUTED, 10, STATED, 5, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "HUSMM1640ASS204", 400, 7300, COMPUTED, 10, STATED, 5, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "HUSMM1680ASS204", 800, 14600, COMPUTED, 10, STATED, 5, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "HUSMM1616ASS204", 1600, 29200, COMPUTED, 10, STATED, 5, NAN, ABSENT, NAN, NAN, NAN, NAN, "" },
	{ "Micron_M500_MTFDDAK120MAV", 120, NAN, ABSENT, NAN, ABSENT, NAN, 0.727341, COMPUTED, 1200000, 1e-15, 0, 70, "" },
	{ "Micron_M500_MTFDDAK240MAV", 240, NAN, ABSENT, NAN, ABSENT, NAN, 0.727341, COMPUTED, 1200000, 1e-15, 0, 70, "" },
	{ "Micron_M500_MTFDDAK480MAV", 480, NAN, ABSENT, NAN, ABSENT, NAN, 0.727341, COMPUTED, 1200000, 1e-15, 0, 70, "" },
	{ "Micron_M500_MTFDDAK960MAV", 960, NAN, ABSENT, NAN, ABSENT, NAN, 0.727341, COMPUTED, 1200000, 1e-15, 0, 70, "" },
	{ "ST800FM0012", 800, 17800, STATED, 10, STATED, 5, 0.44, STATED, 2000000, 1e-16, NAN, NAN, "" },
	{ "ST400FM0012", 400, 8800, STATED, 10, STATED, 5, 0.44, STATED, 2000000, 1e-16, NAN, NAN, "" },
	{ "ST200FM0012", 200, 4400, STATED, 10, STATED, 5, 0.44, STATED, 2000000, 1e-16, NAN, NAN, "" },
	{ "ST100FM0012", 100, 2200, STATED, 10, STATED, 5, 0.44, STATED, 2000000, 1e-16, NAN, NAN, "" },
};

/* Of these nothing is known but who they are. */
static const struct {
	const char *model;
	unsigned capacity_gb;
} unrated[] = {
	{ "XA240LE10003", 240 }, { "XA480LE10023", 480 }, { "XA1920LE10063", 1920 }, { "XA3840LE10103", 3840 },
	{ "PX02SMB160", 1600 }, { "PX04SMB040", 400 }, { "PX04SMB080", 800 }, { "PX04SMB160", 1600 },
	{ "PX04SMB320", 3200 }, { "MK1001GRZB", 100 }, { "MK2001GRZB", 200 }, { "MK4001GRZB", 400 }, { "ST400FM0323", 400 },
	{ "ST200FM0133", 200 }, { "ST400FM0333", 400 }, { "ST200FM0143", 200 }, { "ST3200FM0023", 3200 },
	{ "ST1600FM0003", 1600 }, { "ST800FM0173", 800 }, { "ST400FM0233", 400 }, { "ST3200FM0033", 3200 },
	{ "ST1600FM0013", 1600 }, { "ST800FM0183", 800 }, { "ST400FM0243", 400 }, { "ST3200FM0043", 3200 },
	{ "ST1600FM0023", 1600 }, { "ST800FM0213", 800 }, { "ST400FM0293", 400 }, { "ST3840FM0043", 3840 },
	{ "ST1920FM0043", 1920 }, { "ST3840FM0053", 3840 }, { "ST1920FM0053", 1920 }, { "ST3840FM0003", 3840 },
	{ "ST3200FM0063", 3200 }, { "ST1920FM0003", 1920 }, { "ST1600FM0073", 1600 }, { "ST960FM0003", 960 },
	{ "ST800FM0233", 800 }, { "ST480FM0003", 480 }, { "ST400FM0303", 400 }, { "ST3840FM0023", 3840 },
	{ "ST3200FM0073", 3200 }, { "ST1920FM0023", 1920 }, { "ST1600FM0083", 1600 }, { "ST960FM0013", 960 },
	{ "ST800FM0243", 800 }, { "ST480FM0013", 480 }, { "ST400FM0343", 400 }, { "HUSML4020ASS600", 200 },
	{ "HUSML4040ASS600", 400 }, { "TALOS2C", 480 }, { "TALOS2R", 400 }, { "MTFDDAK100MAR-1J1AA", 100 },
	{ "Crucial_CT120M500SSD1", 120 }, { "Crucial_CT240M500SSD1", 240 }, { "Crucial_CT480M500SSD1", 480 },
	{ "Crucial_CT960M500SSD1", 960 },
};

/* From tables and digests: those whose model string is sold in several sizes, that have one rating only, or that contradict
 * themselves. */
static const struct {
	const char *model;
	unsigned capacity_gb;
	double tbw, dwpd, years;
	const char *grade;
} others[] = {
	{ "MZWLL1T6HEHP-00003", 1600, 8760, NAN, NAN, "C" },	/* PM1725b has its own row among those of the PM1725 */
	{ "SAMSUNG MZWLL1T6HEHP-00003", 1600, 8760, NAN, NAN, "C" },
	{ "MZPLL3T2HMLS-00003", 3200, -1, -1, -1, "" },		/* the rows of the PM1725 are for 1600 GB */
	{ "MZWLK1T6HCHP-00003", 1600, 14600, 5, 5, "C" },
	{ "MZQLB960HAJR-00007", 960, 1366.56, 1.3, 3, "C" },
	{ "SAMSUNG MZ7LM960HCHP-00003", 960, 1366.56, 1.3, 3, "C" },
	{ "SAMSUNG MZ7L3960HBLT-00A07", 960, 1752, 1, NAN, "B" },
	{ "INTEL SSDSC2BA400G3", 400, 7300, 10, NAN, "C" },
	{ "INTEL SSDSC2BA200G3", 200, 3650, 10, 5, "C" },
	{ "INTEL SSDSC2BB800G4", 800, 450, 450e12 / (800e9 * 1825), 5, "C" },
	{ "INTEL SSDPE2KX020T8", 2000, 2054, NAN, NAN, "C" },
	{ "SOLIDIGM SSDSC2KB960GZ", 960, 5300, NAN, NAN, "B" },
	{ "Micron_5300_MTFDDAK1T9TDT", 1920, 17520, NAN, NAN, "C" },
	{ "MTFDDAK3T8TDS", 3840, 8410, NAN, NAN, "C" },
	{ "Micron_9300_MTFDHAL3T2TDR", 3200, 18600, 3, NAN, "C" },
	{ "Micron_7450_MTFDKCB15T3TFR", 15360, 28000, 1, 5, "B" },
	{ "Micron_7450_MTFDKCC3T8TFR", 3840, 7008, 1, 5, "B" },
	{ "Samsung SSD 970 PRO 1TB", 1024, 1200, NAN, NAN, "C" },
	{ "Samsung SSD 990 PRO 2TB", 2000, 1200, NAN, NAN, "C" },
	{ "WDS100T3X0C-00SJG0", 1000, 600, NAN, NAN, "C" },
	{ "KINGSTON SEDC1500M960G", 960, 1681, 1, NAN, "C" },
	{ "KCMYXRUG7T68", 7680, 14016, 1, 5, "B" },
	{ "PX04SVQ160B", 1600, 8760, NAN, NAN, "C" },
	{ "ST400FX0012", 400, 24800, 35, 5, "A" },
	{ "XS3840SE70014", 3840, NAN, 1, NAN, "A" },
	{ "XS400ME70104", 400, NAN, 10, NAN, "A" },
	{ "XA960ME10063", 960, 2390, NAN, NAN, "C" },
	{ "P400e-MTFDDAK100MAR", 100, NAN, NAN, NAN, "B" },
	/* Nobody's figure, or one that rests on a guess: no row. */
	{ "Samsung SSD 870 EVO 1TB", 1000, -1, -1, -1, "" },
	{ "KINGSTON SA400S37240G", 240, -1, -1, -1, "" },
	{ "SAMSUNG MZQL23T8HCLS-00A07", 3840, -1, -1, -1, "" },
	{ "Force MP510", 960, -1, -1, -1, "" },
	{ "PX02SSF010", 100, -1, -1, -1, "" },
	{ "P400m-MTFDDAK200MAN", 200, -1, -1, -1, "" },
};

/* The arithmetic that the file's own ratings do not pass; docs/catalogue.md tells why. */
static const char *const contradictions[] = {
	"17800 TBW, but 10 DWPD x 800 GB", "8800 TBW, but 10 DWPD x 400 GB", "4400 TBW, but 10 DWPD x 200 GB",
	"2200 TBW, but 10 DWPD x 100 GB", "24800 TBW, but 35 DWPD x 400 GB", "12400 TBW, but 35 DWPD x 200 GB",
	"6200 TBW, but 35 DWPD x 100 GB",
};

static char path[4096];

/* Sectors of 512 bytes that a drive sold as so many gigabytes has (IDEMA LBA1-03). */
static uint64_t bytes_of(unsigned gb)
{
	return (UINT64_C(97696368) + UINT64_C(1953504) * (gb - 50)) * 512;
}

static const struct rated *find(struct catalogue *c, const char *model, unsigned gb)
{
	const struct catalogue_drive drive = { .vendor = "ATA", .model = model, .firmware = "0001", .serial = "S1",
					       .capacity_bytes = gb < 50 ? gb * UINT64_C(1000000000) : bytes_of(gb) };

	return catalogue_find(c, &drive);
}

static void same(const char *model, const char *what, double is, double wanted, double tolerance)
{
	bool holds = isnan(wanted) ? isnan(is) : fabs(is - wanted) <= tolerance * fabs(wanted);

	if (!holds)
		print_error("%s: %s is %.10g, not %.10g\n", model, what, is, wanted);
	assert_true(holds);
}

static void known(const struct rated *r, const char *model)
{
	if (!r)
		print_error("%s: no row\n", model);
	assert_non_null(r);
	assert_true(*r->vendor && *r->family && *r->source && *r->grade);
}

static int load(void **state)
{
	const char *top = getenv("top_srcdir"), *files[] = { path, NULL };
	AUTO_TEXT errors = TEXT_LIMIT(10000);

	snprintf(path, sizeof path, "%s/data/drives.csv", top ? top : ".");
	*state = catalogue_load(files, &errors);
	if (errors.length)
		print_error("%s", errors.at);
	return *state && !errors.length ? 0 : -1;
}

static int unload(void **state)
{
	catalogue_free(*state);
	return 0;
}

static void every_drive_has_its_ratings(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(ratings); i++) {
		const struct rating *want = &ratings[i];
		const struct rated *r = find(*state, want->model, want->capacity_gb);

		known(r, want->model);
		same(want->model, "capacity", r->capacity_bytes, want->capacity_gb * 1e9, 0);
		same(want->model, "TBW", r->endurance_bytes, want->tbw * 1e12, 1e-12);
		same(want->model, "DWPD", r->writes_per_day, want->dwpd, 1e-12);
		same(want->model, "years", r->warranty_s, want->years * 365 * 86400, 1e-12);
		same(want->model, "AFR", r->annual_failure_ratio, want->afr_percent / 100, 1e-5);
		same(want->model, "MTBF", r->mtbf_s, want->mtbf_hours * 3600, 1e-12);
		same(want->model, "UBER", r->errors_per_bit, want->uber, 1e-12);
		same(want->model, "lowest temperature", r->temperature_low, want->temperature_low, 0);
		same(want->model, "highest temperature", r->temperature_high, want->temperature_high, 0);
		assert_string_equal(r->temperature_where, want->temperature_where);
		assert_string_equal(rated_basis_name(r->endurance_basis), rated_basis_name(want->tbw_basis));
		assert_string_equal(rated_basis_name(r->writes_basis), rated_basis_name(want->dwpd_basis));
		assert_string_equal(rated_basis_name(r->failure_basis), rated_basis_name(want->afr_basis));
	}
}

static void rated_speeds_are_there(void **state)
{
	const struct rated *ss200 = find(*state, "SDLL1DLR016TCAA1", 1600), *small = find(*state, "ST200FM0053", 200);

	known(ss200, "SS200");
	known(small, "1200");
	same("SS200", "write latency", ss200->latency_s[RATED_WRITE], 100e-6, 1e-12);
	same("SS200", "read latency", ss200->latency_s[RATED_READ], NAN, 0);
	same("SS200", "reads", ss200->operations_per_s[RATED_READ], 250000, 0);
	same("SS200", "writes", ss200->operations_per_s[RATED_WRITE], 86000, 0);
	same("SS200", "bytes read", ss200->bytes_per_s[RATED_READ], 1800e6, 0);
	same("SS200", "bytes written", ss200->bytes_per_s[RATED_WRITE], 1000e6, 0);
	same("1200", "writes", small->operations_per_s[RATED_WRITE], 25000, 0);
	same("1200", "bytes written", small->bytes_per_s[RATED_WRITE], 400e6, 0);
}

static void drives_without_figures_are_known(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(unrated); i++) {
		const struct rated *r = find(*state, unrated[i].model, unrated[i].capacity_gb);

		known(r, unrated[i].model);
		same(unrated[i].model, "TBW", r->endurance_bytes, NAN, 0);
		same(unrated[i].model, "DWPD", r->writes_per_day, NAN, 0);
		same(unrated[i].model, "AFR", r->annual_failure_ratio, NAN, 0);
		assert_string_equal(rated_basis_name(r->endurance_basis), "");
	}
}

static void ratings_of_other_sources_are_there(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const struct rated *r = find(*state, others[i].model, others[i].capacity_gb);

		if (!*others[i].grade) {
			if (r)
				print_error("%s has line %u\n", others[i].model, r->line);
			assert_null(r);
			continue;
		}
		known(r, others[i].model);
		same(others[i].model, "TBW", r->endurance_bytes, others[i].tbw * 1e12, 1e-12);
		same(others[i].model, "DWPD", r->writes_per_day, others[i].dwpd, 1e-12);
		same(others[i].model, "years", r->warranty_s, others[i].years * 365 * 86400, 1e-12);
		assert_string_equal(r->grade, others[i].grade);
	}
}

static void the_file_contradicts_itself_only_where_its_sources_do(void **state)
{
	const char *files[] = { path, NULL };
	AUTO_TEXT said = TEXT_LIMIT(100000);
	struct catalogue_verdict v;
	const char *at;

	assert_int_equal(catalogue_check(files, &said, &v), 0);
	at = said.at;
	for (size_t i = 0; i < ARRAY_SIZE(contradictions); i++) {
		const char *line = at, *found = at ? strstr(at, contradictions[i]) : NULL;

		if (!found)
			print_error("no warning of %s in:\n%s", contradictions[i], said.at ? said.at : "nothing");
		assert_non_null(found);
		assert_true(found < strchr(line, '\n'));
		at = strchr(found, '\n') + 1;
	}
	assert_int_equal(v.errors, 0);
	assert_int_equal(v.warnings, ARRAY_SIZE(contradictions));
	assert_int_equal(v.rows, catalogue_rows(*state));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_drive_has_its_ratings),
		cmocka_unit_test(rated_speeds_are_there),
		cmocka_unit_test(drives_without_figures_are_known),
		cmocka_unit_test(ratings_of_other_sources_are_there),
		cmocka_unit_test(the_file_contradicts_itself_only_where_its_sources_do),
	};

	return cmocka_run_group_tests_name("health: the catalogue of drives", tests, load, unload);
}
