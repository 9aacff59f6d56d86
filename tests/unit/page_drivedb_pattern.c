/* page/: patterns as smartmontools' data base of drives has them. */
#include "unit.h"

#include <regex.h>
#include <string.h>

#include "base/cleanup.h"
#include "page/drivedb_pattern.h"

static const char *const patterns[] = {
	"", "A", "AB", "A|B", "A|AB|ABC", "(A|B)C", "()A", "A()", "(|A)B", "A||B", "|A", "A|", ".", "..", ".*",
	"A.*", ".*A", "A*", "A+", "A?",
	"(AB)*", "(A|BC)+", "(A*B)*", "((A|B)*C)*", "(A?B?)*", "A{2}", "A{2,}", "A{1,2}", "A{0}", "A{0,1}B",
	"(AB){2}", "(A|B){2,3}C",
	"(A{2}|B){2}", "(A*)*", "(A*)+B", "(A+)*B", "(A?){3}", "^A", "A$", "^A$", "^(A|B)$", "(^A|B$)", "A^B",
	"A$B", "$A", "^", "$", "^$",
	"[AB]", "[^AB]", "[A-C]*", "[]A]", "[^]A]", "[A-]", "[-A]", "[^-A]", "[A\\.]", "[.]", "[$^*]",
	"[[:alpha:]]", "[[:digit:][:upper:]]*",
	"[^[:space:]]+", "[[:punct:]]", "[[:xdigit:]]+", "[[:lower:]B]*", "\\.", "A\\.B", "\\^", "\\$", "\\*A",
	"\\[A\\]", "\\(A\\)", "\\\\", "\\{A}",
	"A}", "]", "A\\|B", "A\\+", "A\\?", "A{1}", "A{255}", "(A|B|C){1,20}", "(A.?C?)*", "A.{3}", "[ -~]*",
	"\xc3\xa4", "\xc3.", "(((((((A)))))))",
	"A-/\" #,:;_&%@!=~'<>`", "[[]", "[a-c[]", "[%--]",
};

static const char *const subjects[] = {
	"", "A", "B", "C", "AA", "AB", "AC", "BA", "BB", "BC", "CA", "AAA", "AAB", "ABA", "ABB", "ABC", "BAA",
	"BCBC", "ABAB", "ABABC", "AABB",
	"AAAA", "AABBCC", "ABCABC", "A.B", "AxB", ".", "^", "$", "*A", "[A]", "(A)", "\\", "{A}",
	"A}", "]", "A|B", "A+", "A?", "-", "a", "b",
	"0", "9F", "0x9f", " ", "A B", "\t", "\xc3\xa4", "\xc3", "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMN",
	"A-/\" #,:;_&%@!=~'<>`", "[", "c",
	"(", ")", "+", ",", "%",
};

/* What the pattern says of the string by POSIX's own word. */
static bool matches_by_regexec(const char *pattern, const char *subject)
{
	regmatch_t range;
	regex_t regex;
	bool is_whole;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED), 0);
	is_whole = !regexec(&regex, subject, 1, &range, 0) && range.rm_so == 0 &&
		   (size_t)range.rm_eo == strlen(subject);
	regfree(&regex);
	return is_whole;
}

static void patterns_match_as_regexec_does(void **state)
{
	unsigned n_matches = 0;

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		uint64_t work;
		const char *why = pattern_refusal(patterns[i], &work);

		if (why)
			print_error("%s: %s\n", patterns[i], why);
		assert_null(why);
		for (size_t k = 0; k < ARRAY_SIZE(subjects); k++) {
			bool ours = pattern_matches(patterns[i], subjects[k]);

			if (ours != matches_by_regexec(patterns[i], subjects[k]))
				print_error("%s and %s: %d\n", patterns[i], subjects[k], ours);
			assert_true(ours == matches_by_regexec(patterns[i], subjects[k]));
			n_matches += ours;
		}
	}
	assert_true(n_matches > 400);
}

static void patterns_that_mean_nothing_sure_are_refused(void **state)
{
	static const struct {
		const char *pattern, *why;
	} rows[] = {
		{ "(", "'(' without ')'" }, { "(A", "'(' without ')'" }, { "((A)", "'(' without ')'" },
		{ "A|(B|", "'(' without ')'" },
		{ ")", "')' without '('" }, { "A)(B", "')' without '('" }, { "A)", "')' without '('" },
		{ "[", "'[' without ']'" }, { "[]", "'[' without ']'" }, { "[^]", "'[' without ']'" },
		{ "[A", "'[' without ']'" },
		{ "[^", "'[' without ']'" }, { "[[:alpha:]", "'[' without ']'" },
		{ "[Z-A]", "a range that ends before it begins" },
		{ "[A-C-E]", "a '-' in brackets that is neither first, last, nor a range" },
		{ "[[:alpha:]-z]", "a '-' in brackets that is neither first, last, nor a range" },
		{ "[[:nothing:]]", "no such character class" }, { "[[:alpha]", "no such character class" },
		{ "[[:", "no such character class" },
		{ "[[.a.]]", "a collating element in brackets" }, { "[[=a=]]", "a collating element in brackets" },
		{ "[a-[.z.]]", "a collating element in brackets" },
		{ "[a-[:alpha:]]", "a collating element in brackets" },
		{ "\\", "'\\' before a character that is not special" },
		{ "(A)\\1", "'\\' before a character that is not special" },
		{ "\\w", "'\\' before a character that is not special" },
		{ "\\<A", "'\\' before a character that is not special" },
		{ "\\d+", "'\\' before a character that is not special" },
		{ "A\\'", "'\\' before a character that is not special" },
		{ "*A", "nothing to repeat" }, { "(*A)", "nothing to repeat" }, { "A|*", "nothing to repeat" },
		{ "(?:A)", "nothing to repeat" },
		{ "+", "nothing to repeat" }, { "{1}", "nothing to repeat" },
		{ "A**", "a repetition of a repetition" }, { "A+?", "a repetition of a repetition" },
		{ "A{2}{2}", "a repetition of a repetition" },
		{ "^*", "a repetition of an anchor" }, { "A${2}", "a repetition of an anchor" },
		{ "A{", "'{' without a count of at most 255 and '}'" },
		{ "A{}", "'{' without a count of at most 255 and '}'" },
		{ "A{,2}", "'{' without a count of at most 255 and '}'" },
		{ "A{2,1}", "'{' without a count of at most 255 and '}'" },
		{ "A{256}", "'{' without a count of at most 255 and '}'" },
		{ "A{1,256}", "'{' without a count of at most 255 and '}'" },
		{ "A{99999999999999999999}", "'{' without a count of at most 255 and '}'" },
		{ "A{1", "'{' without a count of at most 255 and '}'" },
		{ "A{1,", "'{' without a count of at most 255 and '}'" },
		{ "A{-1}", "'{' without a count of at most 255 and '}'" },
		{ "((((((((((((((((((A))))))))))))))))))", "groups nest too deep" },
		/* What takes regcomp() gigabytes. */
		{ "((A{1,255}){1,255}){1,255}", "takes too much work" },
		{ "(A{1,255}){1,255}", "takes too much work" },
		{ "(((A*)*)*)*", "takes too much work" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t work;
		const char *why = pattern_refusal(rows[i].pattern, &work);

		if (!why || strcmp(why, rows[i].why))
			print_error("%s\n", rows[i].pattern);
		assert_non_null(why);
		assert_string_equal(why, rows[i].why);
	}
}

static void work_is_counted(void **state)
{
	static const struct {
		const char *pattern;
		unsigned work;
	} rows[] = {
		{ "", 0 }, { "ABC", 3 }, { "[A-C]", 5 }, { "A|B", 3 }, { "(A)", 2 }, { "\\.", 2 }, { "^A$", 3 },
		{ "A?", 2 },		/* once to see where it ends, once for a match */
		{ "A{3}", 4 }, { "A*", 65 }, { "A+", 66 }, { "(AB*){2}", 201 },	/* (1 + 1 + 65) * 3 */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t work;

		assert_null(pattern_refusal(rows[i].pattern, &work));
		assert_int_equal(work, rows[i].work);
	}
}

static void strings_may_have_63_characters(void **state)
{
	char subject[65];

	memset(subject, 'A', sizeof subject);
	subject[64] = 0;
	assert_false(pattern_matches("A*", subject));
	assert_false(pattern_matches(".{64}", subject));
	subject[63] = 0;
	assert_true(pattern_matches("A*", subject));
	assert_true(pattern_matches("A{63}", subject));
	assert_true(pattern_matches("A{1,255}$", subject));
	assert_false(pattern_matches("A{62}", subject));
	assert_false(pattern_matches("A{64}", subject));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_match_as_regexec_does),
		cmocka_unit_test(patterns_that_mean_nothing_sure_are_refused),
		cmocka_unit_test(work_is_counted),
		cmocka_unit_test(strings_may_have_63_characters),
	};

	return cmocka_run_group_tests_name("page: patterns of drivedb", tests, NULL, NULL);
}
