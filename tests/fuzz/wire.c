/* All decoders of the wire, on the same bytes; what one takes must be what its encoder writes. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "probe/wire.h"

static void must_be(const uint8_t *again, size_t n, const uint8_t *data, size_t size)
{
	if (n != size || memcmp(again, data, n))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t again[WIRE_MESSAGE_MAX];
	static char text[WIRE_MESSAGE_MAX];
	struct bytes in = bytes_of(data, size);
	struct wire_request request;
	struct wire_hello hello;
	struct wire_reply reply;
	enum wire_type type;
	char line[COMMAND_TEXT_MAX];
	const char *why;

	if (!wire_get_hello(in, &hello))
		must_be(again, wire_put_hello(again, &hello), data, size);
	if (!wire_get_request(in, &request)) {
		must_be(again, wire_put_request(again, &request), data, size);
		command_text(&request.command, line);
		if (command_is_allowed(&request.command, &why) && command_answer_max(&request.command) > COMMAND_ANSWER_MAX)
			abort();
		node_name_is_valid(request.node);
	}
	if (!wire_get_reply(in, &reply))
		must_be(again, wire_put_reply(again, &reply), data, size);
	if (!wire_get_type(in, &type) && !wire_get_text(in, text, sizeof text))
		must_be(again, wire_put_text(again, type, text), data, size);
	return 0;
}
