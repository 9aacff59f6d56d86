#include "page/scsi_vendor.h"

#include <fnmatch.h>
#include <string.h>

#include "page/scsi_log.h"

static const struct {
	const char *vendor;
	enum scsi_maker maker;
} vendors[] = {
	{ "SEAGATE", MAKER_SEAGATE }, { "HITACHI", MAKER_HGST }, { "HGST", MAKER_HGST }, { "WDC", MAKER_HGST },
};

/* Beginnings of product names, also where sellers cut them or put them across both fields ("HUSMM151 CLAR1600",
 * "H4SMR324 CLAR400" of Dell/EMC). */
static const struct {
	const char *pattern;
	enum scsi_maker maker;
} products[] = {
	{ "ST[0-9]*[A-Z][A-Z][0-9][0-9]*", MAKER_SEAGATE }, { "XS[0-9]*[A-Z]E[0-9]*", MAKER_SEAGATE },
	{ "H[U4]S[ML]*", MAKER_HGST }, { "HU[CHS][0-9]*", MAKER_HGST }, { "WU[SH][0-9]*", MAKER_HGST },
};

/* The 24 bits after the first digit of an NAA 5 or 6 name: the company that gave it (SPC, designation descriptors; IEEE). */
static const struct {
	const char *company;
	enum scsi_maker maker;
} companies[] = {
	{ "000c50", MAKER_SEAGATE }, { "000cca", MAKER_HGST },
};

static enum scsi_maker maker_of_product(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(products); i++)
		if (!fnmatch(products[i].pattern, name, 0))
			return products[i].maker;
	return MAKER_UNKNOWN;
}

static enum scsi_maker maker_of_name(const char *wwn)
{
	if (wwn[0] != '5' && wwn[0] != '6')
		return MAKER_UNKNOWN;
	for (size_t i = 0; i < ARRAY_SIZE(companies); i++)
		if (!strncmp(wwn + 1, companies[i].company, 6))
			return companies[i].maker;
	return MAKER_UNKNOWN;
}

enum scsi_maker scsi_maker_of(const struct drive_facts *facts)
{
	enum scsi_maker maker;

	for (size_t i = 0; i < ARRAY_SIZE(vendors); i++)
		if (!strcmp(facts->vendor, vendors[i].vendor))
			return vendors[i].maker;
	maker = maker_of_product(facts->model);
	if (maker == MAKER_UNKNOWN)
		maker = maker_of_product(facts->vendor);	/* a product that begins there */
	return maker == MAKER_UNKNOWN ? maker_of_name(facts->wwn) : maker;
}

bool scsi_seagate_is_offered(const struct page *page, const struct drive_facts *facts)
{
	return scsi_log_is_offered(page, facts) && scsi_maker_of(facts) == MAKER_SEAGATE;
}

bool scsi_hgst_is_offered(const struct page *page, const struct drive_facts *facts)
{
	return scsi_log_is_offered(page, facts) && scsi_maker_of(facts) == MAKER_HGST;
}
