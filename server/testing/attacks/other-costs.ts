/** What a stranger's call costs at the addresses that are neither endpoints of the API nor hosted pages. */
import { cost, FREE, type StrangerCost } from '../../limits/cost.ts'

type Address = { method: 'get' | 'options'; path: string; stranger: StrangerCost }

const NOTHING: StrangerCost = { body: 0, once: FREE, flood: FREE }

const free = (paths: string): Address[] =>
  paths.split(/\s+/).map((path) => ({ method: 'get', path, stranger: NOTHING }))

export const OTHER_COSTS: readonly Address[] = [
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
