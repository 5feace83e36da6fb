/** What differs from one run to the next, replaced by a sign: ids, keys, digests, times and ports. */
const REPLACED: [RegExp, string][] = [
  // An id, a key or a token: its kind stays.
  [/\b([a-z]{2,6}_)((?:test|sandbox|live)_)?(?=[\w-]*\d)[\w-]{22,}/g, '$1$2#'],
  [/example_*[0-9a-z]{12}(?=\d{6})/g, 'example#'],
  // References at the simulated bank, digests, and random keys of forms.
  [/[\w.-]{60,}/g, '#'],
  [/\b(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{16,}\b/g, '#'],
  [/="[\w+/=-]{22,}"/g, '="#"'],
  [/(data-live=)"[^"]+"/g, '$1"#"'],
  // Numbers that people read out, and those of a bank's receipt.
  [/\b[0-9A-Z]{4} [0-9A-Z]{4}\b/g, '#### ####'],
  [/,[0-9A-Z]{8},/g, ',########,'],
  [/<dd>\d{6,12}<\/dd>/g, '<dd>#</dd>'],
  [/ d="[^"]{400,}"/g, ' d="#"'],
  [/-?[\d.,]+( seconds? off| GB are free)/g, '#$1'],
  [/(данных на|свободно|տարբերվում է|ազատ է) -?[\d.,\u00a0]+/g, '$1 #'],
  [/\bkassa \S+ \d+\b/g, 'kassa HOST PROCESS'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/\b\d{1,2}:\d\d(:\d\d)?\b/g, 'CLOCK'],
  [/\b(localhost|127\.0\.0\.1):\d+/g, '$1:PORT'],
]

export function normalise(text: string): string {
  return REPLACED.reduce((rest, [found, by]) => rest.replaceAll(found, by), text)
}

/** One tag a line, so that a difference is short. Styles are left out: they are the same on every page. */
export function normalisePage(html: string): string {
  const lines = html.replaceAll(/<style>[^<]*<\/style>/g, '').replaceAll(/>\s*</g, '>\n<')
  return normalise(lines).replaceAll(/[^\S\n]+/g, ' ')
}

/** A type's name; or the shapes of an object's members. A list is the merged shape of its items. */
type Shape = string | { [key: string]: Shape }

export function shapeOf(value: unknown): Shape {
  if (Array.isArray(value)) return { '[]': merged(value.map(shapeOf)) }
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [normalise(key), shapeOf(each)]))
}

function merged(shapes: Shape[]): Shape {
  const names = shapes.filter((each) => typeof each === 'string').flatMap((each) => each.split(' or '))
  const objects = shapes.filter((each) => typeof each === 'object')
  const name = [...new Set(names)].sort().join(' or ')
  if (objects.length === 0) return name || 'nothing'
  const keys = [...new Set(objects.flatMap(Object.keys))].sort()
  const members = keys.map((key) => [key, merged(objects.map((each) => each[key] ?? 'absent'))] as const)
  return { ...Object.fromEntries(members), ...(name && { or: name }) }
}
