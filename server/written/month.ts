/** Names of months and weekdays, in the languages of banks here and of their neighbours. */
const LANGUAGES = ['en', 'ru', 'hy', 'de', 'fr', 'es', 'it', 'pl', 'tr', 'ka', 'uk']
const SHORTEST = 3

const names = new Map<string, number>()
// With a day beside it some languages write another case: "ноября".
for (const language of LANGUAGES)
  for (const month of ['long', 'short'] as const)
    for (const day of [undefined, 'numeric'] as const) {
      const format = new Intl.DateTimeFormat(language, { month, day, timeZone: 'UTC' })
      for (let number = 1; number <= 12; number++) {
        const parts = format.formatToParts(Date.UTC(2026, number - 1, 15))
        const name = parts.find(({ type }) => type === 'month')?.value ?? ''
        const plain = withoutPoint(name)
        if (/^\p{L}{3,}$/u.test(plain)) names.set(plain, number)
      }
    }
// Bookkeepers write more than three letters too: "sept", "ноя", "дек".
for (const [name, number] of [...names])
  for (let chars = SHORTEST; chars < name.length; chars++) {
    const start = name.slice(0, chars)
    const other = names.get(start)
    if (other === undefined) names.set(start, number)
    // A beginning of two months is the name of none.
    else if (other !== number && !isWhole(start)) names.set(start, 0)
  }

function isWhole(name: string): boolean {
  return [...LANGUAGES].some((language) =>
    (['long', 'short'] as const).some((month) => {
      const format = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' })
      return Array.from({ length: 12 }, (_, at) => format.format(Date.UTC(2026, at, 15)))
        .map(withoutPoint)
        .includes(name)
    }),
  )
}

/** Returns the number of a month by its name or a beginning of it; 0 if it names none. */
export function monthNamed(text: string): number {
  return names.get(text.toLowerCase()) ?? 0
}

const weekdays = new Set<string>()
const DAYS_MS = Array.from({ length: 7 }, (_, at) => Date.UTC(2026, 0, 1 + at))
for (const language of LANGUAGES)
  for (const weekday of ['long', 'short'] as const) {
    const format = new Intl.DateTimeFormat(language, { weekday, timeZone: 'UTC' })
    for (const day of DAYS_MS) weekdays.add(withoutPoint(format.format(day)))
  }

export function isWeekday(text: string): boolean {
  return weekdays.has(withoutPoint(text))
}

function withoutPoint(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}
