// The runtime environment as far as the network helpers look at it; `network.provider` is set by the test.
exports.network = { name: "kairn", provider: undefined };
