/** A line of values without axes. @param label - what it is, with its newest value */
export function Spark({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const most = Math.max(...values, 1);
  const step = values.length > 1 ? 100 / (values.length - 1) : 100;
  const points = values.map(
    (value, i) => `${(i * step).toFixed(1)},${(22 - (20 * value) / most).toFixed(1)}`,
  );
  return (
    <svg class="spark" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      <polyline points={points.join(" ")} />
    </svg>
  );
}
