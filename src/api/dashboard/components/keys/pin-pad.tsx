/** The positions of a Trezor's keypad; the device shows which digits they are. */
const PLACES = ["7", "8", "9", "4", "5", "6", "1", "2", "3"] as const;
const MAX_DIGITS = 50;

/** Enters a PIN by the positions of its digits on the device; the digits are not known here. */
export function PinPad({
  value,
  onInput,
}: {
  readonly value: string;
  readonly onInput: (places: string) => void;
}) {
  return (
    <fieldset class="pin">
      <legend>PIN: press the positions where the device shows your digits</legend>
      <div class="pad">
        {PLACES.map((place, i) => (
          <button
            key={place}
            type="button"
            aria-label={`row ${Math.floor(i / 3) + 1}, column ${(i % 3) + 1}`}
            onClick={() => onInput(`${value}${place}`.slice(0, MAX_DIGITS))}
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
