/** Every address that this service serves, with what a stranger's call may cost there. */
import { CALLBACKS } from '../../http/callbacks.ts'
import { ENDPOINTS } from '../../http/endpoints/index.ts'
import { type Cost, cost, FREE, type StrangerCost } from '../../limits/cost.ts'
import { PAGES } from '../../pages/index.ts'
import { SANDBOX_PAGES } from '../../sandbox/pages/index.ts'

type Address = { method: 'get' | 'options'; path: string; stranger: StrangerCost }

const NOTHING: StrangerCost = { body: 0, once: FREE, flood: FREE }

const free = (paths: string): Address[] =>
  paths.split(/\s+/).map((path) => ({ method: 'get', path, stranger: NOTHING }))

/** What a stranger's call costs at the addresses that are neither endpoints of the API nor hosted pages. */
const OTHER_COSTS: readonly Address[] = [
  // Documents are rendered once, and a search counts in the processor's time only.
  ...free('/ /docs /docs/search /docs/x /openapi.json /demo/ /x/y /livez'),
  ...free('/widget/v1/kassa.js /widget/versions.json /brand/1f6feb.css /pages.css'),
  // All callers share one look at the database.
  { method: 'get', path: '/readyz', stranger: { ...NOTHING, once: cost(8), flood: cost(1) } },
  { method: 'get', path: '/widget/9.9.9/kassa.js', stranger: { ...NOTHING, once: cost(1), flood: FREE } },
  { method: 'get', path: '/pictures/:picture', stranger: { ...NOTHING, once: cost(1), flood: cost(1) } },
  {
    method: 'options',
    path: '/api/widget/checkout',
    stranger: { ...NOTHING, once: cost(1, { lines: 1 }), flood: cost(1) },
  },
]

export type Declared = { method: string; path: string; stranger: StrangerCost }

export const DECLARED: readonly Declared[] = [
  ...ENDPOINTS,
  ...PAGES,
  ...SANDBOX_PAGES,
  ...CALLBACKS,
  ...OTHER_COSTS,
].map(({ method, path, stranger }) => ({ method: method.toUpperCase(), path, stranger }))

const inBytes = (bytes: number) =>
  bytes === 0 ? 'none' : bytes < 1_024 ? `${bytes} B` : `${bytes / 1_024} KB`

function inWords({ statements, provider, lines, rows }: Cost): string {
  const parts = [
    [statements, 'statement', 'statements'],
    [provider, 'request to a provider', 'requests to a provider'],
    [lines, 'log line', 'log lines'],
    [rows, 'row', 'rows'],
  ] as const
  const some = parts.flatMap(([count, one, many]) =>
    count > 0 ? [`${count} ${count === 1 ? one : many}`] : [],
  )
  return some.length === 0 ? 'nothing' : some.join(', ')
}

/** Returns the guide of all costs. */
export function writeCosts(): string {
  const rows = DECLARED.map(({ method, path, stranger: { body, bodyOfUnknown, once, flood } }) => {
    const bytes =
      bodyOfUnknown === undefined ? inBytes(body) : `${inBytes(body)}; unknown id: ${inBytes(bodyOfUnknown)}`
    return `| \`${method} ${path}\` | ${bytes} | ${inWords(once)} | ${inWords(flood)} |`
  })
  return `# What a stranger can cause

A stranger has no token and no cookie. The table says what one call of a stranger costs at most, also if the stranger knows a payment's address, a public key or a callback address. *In a flood* is the average after many calls of one address, within the limits. A test measures every line with the default limits, but for two that it lowers to reach them sooner: \`http/stranger-costs.test.ts\`.

- **Body**: the largest body that is read. Where it says *none*, the response does not wait for a body.
- **Processor time** is not in the table. At every address it grows at most in proportion to what was sent. \`http/growth.test.ts\` asks every address with long paths, queries, headers and bodies, and compares their times within one run.
- **Rows** are added to tables. Wrong tokens and declines also leave a row for each caller in \`shared_buckets\`. All of them are written together once a second, and deleted when the limit is whole again. A log line of a refusal is limited to 5 at once for each address, and then one a minute.
- A connection on which nothing moves is closed after a minute (\`http/slow-readers.test.ts\`).

| Call | Body | A call costs at most | In a flood |
|---|---|---|---|
${rows.join('\n')}

<!-- keywords: limits, rate limit, abuse, dos, attack, stranger -->
`
}
