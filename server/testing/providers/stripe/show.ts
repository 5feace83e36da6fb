/** Presents objects: expanded where the request names a path, and in pages, the newest first. */
import type { Account } from './books.ts'
import type { Params } from './form.ts'
import { invalid } from './refusal.ts'

const LIMIT = 10
/** Lists in an object that are included only if the request names them. */
const REFUNDS_SHOWN = 10

type Plain = Record<string, unknown>

export function expand(account: Account, object: object, paths: readonly string[]): Plain {
  const shown = structuredClone(object) as Plain
  if (!account.isFull) empty(shown)
  for (const path of paths) expandOne(account, shown, path.split('.'), path)
  return shown
}

/** The members of charges and refunds that are null in poor answers. */
const NULLABLE = ['balance_transaction', 'payment_method_details']

function empty(object: Plain): void {
  for (const name of NULLABLE) if (object.object !== 'dispute' && name in object) object[name] = null
  if (Array.isArray(object.data)) for (const each of object.data) empty(each as Plain)
}

function expandOne(account: Account, object: Plain, [name = '', ...rest]: string[], path: string): void {
  if (name === 'data' && Array.isArray(object.data)) {
    for (const each of object.data) expandOne(account, each as Plain, rest, path)
    return
  }
  if (name === 'refunds' && object.object === 'charge') {
    const own = [...account.refunds.values()].filter(({ charge }) => charge === object.id).reverse()
    const url = `/v1/charges/${String(object.id)}/refunds`
    object.refunds = {
      object: 'list',
      data: own.slice(0, REFUNDS_SHOWN).map((each) => expand(account, each, [])),
      has_more: own.length > REFUNDS_SHOWN,
      url,
    }
    return
  }
  if (!(name in object)) throw invalid('', 'expand', `This property cannot be expanded (${path}).`)
  const member = object[name]
  const whole = typeof member === 'string' ? find(account, member) : undefined
  if (whole) object[name] = expand(account, whole, [])
  const inner = object[name]
  if (rest.length > 0 && typeof inner === 'object' && inner !== null)
    expandOne(account, inner as Plain, rest, path)
}

function find({ intents, setups, charges, methods, bookings }: Account, id: string): object | undefined {
  for (const objects of [intents, setups, charges, methods, bookings]) {
    const found = objects.get(id)
    if (found) return found
  }
  return undefined
}

type Listed = { id: string; created: number }

export function pageOf<Kind extends Listed>(path: string, objects: Map<string, Kind>, params: Params): Plain {
  const { limit = LIMIT, starting_after: after, created, expand: _expand, ...filters } = params
  if (Number(limit) < 1 || Number(limit) > 100)
    throw invalid('', 'limit', 'Limit can range between 1 and 100')
  const fits = (each: Kind) =>
    Object.entries(filters).every(([name, value]) => (each as Plain)[name] === value) &&
    isWithin(each, created)
  const all = [...objects.values()].filter(fits).reverse()
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && start === 0)
    throw invalid('resource_missing', 'starting_after', 'No such object')
  const data = all.slice(start, start + Number(limit))
  return { object: 'list', data, has_more: all.length > start + data.length, url: `/v1/${path}` }
}

function isWithin({ created }: Listed, range: unknown): boolean {
  const { gt, gte, lt, lte } = (range ?? {}) as Record<string, number | undefined>
  return (
    (gt === undefined || created > gt) &&
    (gte === undefined || created >= gte) &&
    (lt === undefined || created < lt) &&
    (lte === undefined || created <= lte)
  )
}

/** Endpoints that get thin events are only in the newer list. */
export function endpointsOf({ endpoints }: Account) {
  return {
    object: 'list',
    url: '/v1/webhook_endpoints',
    has_more: false,
    data: endpoints
      .filter(({ style }) => style !== 'thin')
      .map(({ url, events }, index) => ({
        id: `we_sim${index}`,
        object: 'webhook_endpoint',
        url,
        status: 'enabled',
        enabled_events: events,
        api_version: null,
        livemode: false,
      })),
  }
}

/** Stripe hides the addresses unless they are asked for. */
export function destinationsOf({ endpoints }: Account, withAddress: boolean) {
  return {
    data: endpoints.map(({ url, events, style = 'snapshot' }, index) => ({
      id: `ed_sim${index}`,
      object: 'v2.core.event_destination',
      enabled_events: events,
      event_payload: style,
      livemode: false,
      status: 'enabled',
      type: 'webhook_endpoint',
      ...(withAddress && { webhook_endpoint: { url } }),
    })),
    next_page_url: null,
    previous_page_url: null,
  }
}
