/** Base class of the helpers' errors. */
class CustomError extends Error {
  constructor(message, parent) {
    super(message, { cause: parent });
    this.name = this.constructor.name;
  }
}

exports.CustomError = CustomError;
