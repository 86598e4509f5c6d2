/** A line of values without axes. @param label - accessible name */
export function Spark({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const max = Math.max(...values, 1);
  const step = values.length > 1 ? 100 / (values.length - 1) : 100;
  const points = values.map((value, i) => `${(i * step).toFixed(1)},${(22 - (20 * value) / max).toFixed(1)}`);
  return (
    <svg class="spark" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      <polyline points={points.join(" ")} />
    </svg>
  );
}
