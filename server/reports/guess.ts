/** A first guess at what the columns of an unknown statement mean. A person decides. */
const GUESSES: [name: string, pattern: RegExp][] = [
  ['at', /date|time|datum|дата|ամսաթիվ/i],
  ['amount', /amount|gross|sum|betrag|сумма|գումար/i],
  ['currency', /currency|währung|валюта|արժույթ/i],
  ['id', /^(id|.*(transaction|line|entry|operation).*(id|number|no)\b.*)$/i],
  ['kind', /type|kind|category|тип/i],
  ['fee', /fee|commission|gebühr|комисси/i],
  ['orders', /reference|order|invoice|purpose|назначение/i],
]

/** Returns the columns by what they may mean. Each column is taken once. */
export function guessColumns(columns: readonly string[]): Record<string, string> {
  const taken = new Set<string>()
  return Object.fromEntries(
    GUESSES.flatMap(([name, pattern]) => {
      const column = columns.find((each) => !taken.has(each) && pattern.test(each))
      if (column === undefined) return []
      taken.add(column)
      return [[name, column]]
    }),
  )
}
