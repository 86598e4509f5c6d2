/** Base class of the errors of plugins. */
class NomicLabsHardhatPluginError extends Error {
  constructor(pluginName, message, parent) {
    super(message, { cause: parent });
    this.name = "NomicLabsHardhatPluginError";
    this.pluginName = pluginName;
  }
}

exports.NomicLabsHardhatPluginError = NomicLabsHardhatPluginError;
