/* The catalogue as people read it: docs/catalogue.md. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "health/catalogue_private.h"

static const char head[] =
	"# What drives were sold with\n"
	"\n"
	"This page is generated from data/drives.csv (`drive_exporter --list-catalogue-markdown`).\n"
	"\n"
	"The catalogue says what a model is rated for: how much may be written to it, how often drives of its kind fail, how warm it\n"
	"may get. It is a table in `drives.csv`, which comes with the program, and in files of your own, which extend and override it.\n"
	"`drive_exporter check-config` reads them all and says what is wrong, with file and line.\n"
	"\n"
	"## Files\n"
	"\n"
	"Read are, in this order, `drives.csv` in the data folder (/usr/local/share/drive_exporter unless `configure` was told\n"
	"otherwise), and then `/etc/drive_exporter/drives.d/*.csv` (or below the folder that `--sysconfdir` names), in the order of their\n"
	"names by bytes. `--catalogue.path` names other files in their place.\n"
	"\n"
	"A file is comma-separated values in UTF-8 with a full stop in numbers. The first line names the columns, in any order; those\n"
	"that you have nothing for may be left out. A column that is not listed below is an error, and the file's rows are not read. An\n"
	"empty line, and one that begins with `#`, says nothing. A value with a comma or a quotation mark goes into quotation marks,\n"
	"with those inside doubled; it ends on its line. A row that is wrong is left out, alone. There may be 100,000 rows in all, and\n"
	"16 MiB in a file.\n"
	"\n"
	"## Columns\n"
	"\n"
	"Only what a source states is in a row. The rest is left empty, and computed where it follows: TBW = DWPD x capacity x 365 x\n"
	"years, DWPD = TBW / (capacity x 365 x years), AFR = 1 - exp(-8760 / MTBF). TBW and DWPD are two ratings, by different methods;\n"
	"where both are stated both are kept.\n"
	"\n"
	"| column | meaning |\n"
	"| --- | --- |\n";

static const char rules[] =
	"\n"
	"## Which row counts\n"
	"\n"
	"A row fits a drive if its pattern matches the whole model, or vendor and model written together, or with one blank between:\n"
	"some SAS drives of system vendors have one half of their model number in the field for the vendor (`SDLL1MLR` `032TCAA1`).\n"
	"Upper and lower case differ; blanks around do not count. A row with a capacity fits only drives between 0.55 and 1.1 times\n"
	"that, which takes in those formatted with less or with 520-byte sectors, and keeps the sizes apart that are sold under one\n"
	"model; a drive whose capacity is not known has no such row. A row for a serial number fits whatever the capacity: so a drive that\n"
	"was made smaller than it was sold keeps its rating.\n"
	"\n"
	"Of the rows that fit, the last one read counts: write the general ones first, and your own into a file of your own. A row\n"
	"with the drive's serial number counts before all rows without one.\n"
	"\n"
	"Patterns are POSIX extended regular expressions of at most 200 bytes. Refused are back-references, collating symbols,\n"
	"backslashes before letters, and nested repetitions that would take too long.\n"
	"\n"
	"## Your own rows\n"
	"\n"
	"A model that is missing, and one drive that was sold with other figures than its model:\n"
	"\n"
	"```csv\n"
	"vendor,family,model,serial,capacity_gb,rated_tbw,rated_dwpd,warranty_years,mtbf_hours,source\n"
	"Example,Model 9,EX9-(480|960)G,,,,1,5,2000000,data sheet of 2024-05\n"
	"Example,Model 9,EX9-960G,0123456789AB,960,3504,,5,,contract 4711\n"
	"```\n"
	"\n"
	"The first row has no capacity, since it is for two sizes: so it tells DWPD, and nothing is computed from it.\n"
	"\n"
	"## Grades\n"
	"\n"
	"| grade | rests on |\n"
	"| --- | --- |\n"
	"| A | the vendor: a manual, a data sheet, or its figures as a review prints them |\n"
	"| B | a review, or a digest that names its sources line by line |\n"
	"| C | a community's table, or notes without sources; good for a first look |\n"
	"| operator | you |\n"
	"\n"
	"Of a row without figures the grade is that of the source of the model number.\n";

static const char table_head[] =
	"\n"
	"## The drives\n"
	"\n"
	"What is not marked is stated by the source. AFR in per cent, UBER per bit read, temperatures in degrees Celsius.\n"
	"\n"
	"| model | drive | GB | TBW | DWPD | years | AFR | MTBF, hours | UBER | temperature | grade: source |\n"
	"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";

static const char contradictions_head[] =
	"\n"
	"## Ratings that do not agree\n"
	"\n"
	"`check-config` warns of these rows of the file. They are as their sources have them.\n"
	"\n"
	"| model | what is said | why |\n"
	"| --- | --- | --- |\n";

static const char missing[] =
	"\n"
	"## What is not in the file\n"
	"\n"
	"Without a model number that some source shows, a row could only be guessed, so there is none for these drives: SMART Optimus,\n"
	"STEC s842 and the rest of the s840 series, Micron P400m, Toshiba PX02SS of 100 GB, Seagate Enterprise Turbo SSHD. Nor is there\n"
	"any for ratings that are known by the marketing name of a family alone.\n"
	"\n"
	"Figures that circulate and are wrong: the Ultrastar SSD800MM has 3.65, 7.3 and 14.6 PB, not the 9.1, 18.3 and 36.5 PB of the\n"
	"SSD800MH; its MTBF is two million hours, not 20,000; HUSMM8020 is the model of 200 GB and HUSMM8080 that of 800 GB. The\n"
	"Seagate 1200 has one unrecoverable error in 10^16 bits.\n"
	"\n"
	"Years are given where the source gives them. Where it does not, TBW and DWPD are not computed from each other.\n";

/* Bars would end the cell. */
static void add_text(struct text *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			text_add(out, "\\");
		text_add_bytes(out, text, 1);
	}
}

static void add_number(struct text *out, double value, enum rated_basis basis)
{
	if (!isnan(value))
		text_addf(out, "%.7g%s", value, basis == RATED_COMPUTED ? " (computed)" : "");
	text_add(out, " | ");
}

static void add_temperature(struct text *out, const struct rated *r)
{
	if (!isnan(r->temperature_low))
		text_addf(out, "%g", r->temperature_low);
	if (!isnan(r->temperature_high))
		text_addf(out, " to %g", r->temperature_high);
	text_addf(out, "%s%s | ", *r->temperature_where ? " " : "", r->temperature_where);
}

static void add_row(struct text *out, const struct catalogue_row *row)
{
	const struct rated *r = &row->rated;

	text_add(out, "| `");
	add_text(out, row->model);
	text_add(out, "` | ");
	add_text(out, r->vendor);
	text_add(out, " ");
	add_text(out, r->family);
	text_add(out, " | ");
	add_number(out, r->capacity_bytes / 1e9, RATED_STATED);
	add_number(out, r->endurance_bytes / 1e12, r->endurance_basis);
	add_number(out, r->writes_per_day, r->writes_basis);
	add_number(out, r->warranty_s / 86400 / 365, RATED_STATED);
	if (r->failure_basis == RATED_COMPUTED)
		text_addf(out, "%.3g (computed) | ", r->annual_failure_ratio * 100);
	else
		add_number(out, r->annual_failure_ratio * 100, RATED_STATED);
	add_number(out, r->mtbf_s / 3600, RATED_STATED);
	add_number(out, r->errors_per_bit, RATED_STATED);
	add_temperature(out, r);
	text_addf(out, "%s: ", r->grade);
	add_text(out, r->source);
	if (*row->note) {
		text_add(out, ". ");
		add_text(out, row->note);
	}
	text_add(out, " |\n");
}

static const struct catalogue_row *row_at(const struct catalogue *c, unsigned line)
{
	for (size_t i = 0; i < c->n_rows; i++)
		if (c->rows[i].rated.line == line)
			return &c->rows[i];
	return NULL;
}

static void add_contradiction(struct text *out, const struct catalogue *c, const struct complaint *said)
{
	const struct catalogue_row *row = row_at(c, said->line);

	text_add(out, "| `");
	add_text(out, row ? row->model : "");
	text_addf(out, "` | ");
	add_text(out, said->reason);
	text_add(out, " | ");
	add_text(out, row ? row->note : "");
	text_add(out, " |\n");
}

static void add_page(struct text *out, const struct catalogue *c, const struct complaints *warnings)
{
	text_add(out, head);
	for (const struct column *column = catalogue_columns; column->name; column++) {
		text_addf(out, "| `%s` | ", column->name);
		add_text(out, column->help);
		text_add(out, " |\n");
	}
	text_add(out, rules);
	text_add(out, table_head);
	for (size_t i = 0; i < c->n_rows; i++)
		add_row(out, &c->rows[i]);
	text_add(out, contradictions_head);
	for (size_t i = 0; i < warnings->n; i++)
		add_contradiction(out, c, &warnings->at[i]);
	text_add(out, missing);
}

static int list(const struct catalogue *c, struct complaints *complaints, struct text *out, struct text *errors)
{
	if (complaints->n_errors) {
		complaints_print(complaints, false, errors);
		return -EINVAL;
	}
	if (!catalogue_warn(c, complaints))
		return -ENOMEM;
	complaints_sort(complaints);
	add_page(out, c, complaints);
	return out->truncated ? -ENOMEM : 0;
}

int catalogue_list_markdown(const char *file, struct text *out, struct text *errors)
{
	const char *const files[] = { file, NULL };
	struct complaints complaints = { 0 };
	struct catalogue *c = catalogue_read_all(files, &complaints);
	int r = c ? list(c, &complaints, out, errors) : -ENOMEM;

	complaints_free(&complaints);
	catalogue_free(c);
	return r;
}
