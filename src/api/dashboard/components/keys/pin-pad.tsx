/** The places of a Trezor's keypad: it shows the digits itself, in an order of its own. */
const PLACES = ["7", "8", "9", "4", "5", "6", "1", "2", "3"] as const;
const MOST_DIGITS = 50;

/** Takes a PIN by the places of its digits on the device; which digits they are is not seen here. */
export function PinPad({
  value,
  onInput,
}: {
  readonly value: string;
  readonly onInput: (places: string) => void;
}) {
  return (
    <fieldset class="pin">
      <legend>PIN: press the places that the device shows your digits at</legend>
      <div class="pad">
        {PLACES.map((place, i) => (
          <button
            key={place}
            type="button"
            aria-label={`row ${Math.floor(i / 3) + 1}, column ${(i % 3) + 1}`}
            onClick={() => onInput(`${value}${place}`.slice(0, MOST_DIGITS))}
          >
            •
          </button>
        ))}
      </div>
      <p role="status">
        {value.length} digits{" "}
        <button type="button" class="small" onClick={() => onInput("")}>
          Clear
        </button>
      </p>
    </fieldset>
  );
}
