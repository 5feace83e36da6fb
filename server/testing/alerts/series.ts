/** Reads metrics in Prometheus's text format, and finds the series that a query selects. */

export type Series = { name: string; labels: Record<string, string>; value: number }
export type Selector = { name: string; matchers: [label: string, operator: string, value: string][] }

export function parseSeries(text: string): Series[] {
  return text.split('\n').flatMap((line) => {
    const [, name, inside = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (!name) return []
    const labels = [...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, text]) => [label, text])
    return [{ name, labels: Object.fromEntries(labels), value: Number(value) }]
  })
}

/** Returns what a query selects of Kassa's metrics and of those of its processes. */
export function selectorsIn(query: string): Selector[] {
  return [...query.matchAll(/\b((?:kassa|process)_\w+)(?:\{(.*?)\})?/g)].map(
    ([, name = '', inside = '']) => ({
      name,
      matchers: [...inside.matchAll(/(\w+)(=~|!~|!=|=)"(.*?)"/g)].map(
        ([, label = '', operator = '', value = '']) => [label, operator, value],
      ),
    }),
  )
}

/** Labels that Prometheus itself adds are left out. */
export function select(series: readonly Series[], { name, matchers }: Selector): Series[] {
  return series.filter(
    (each) =>
      each.name === name &&
      matchers.every(([label, operator, value]) => {
        if (label === 'job' || label === 'instance') return true
        const isEqual = operator.endsWith('~')
          ? new RegExp(`^(?:${value})$`).test(each.labels[label] ?? '')
          : each.labels[label] === value
        return operator.startsWith('!') ? !isEqual : isEqual
      }),
  )
}
