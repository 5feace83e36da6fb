/** Reads Stripe's requests: forms with brackets, checked against the parameters that an endpoint accepts. */
import { invalid } from './refusal.ts'

/** `text`, `integer` and `boolean` are leaves. `texts`: metadata, with names of the caller's own. `[shape]`: a list. */
export type Shape =
  | 'text'
  | 'integer'
  | 'boolean'
  | 'texts'
  | readonly [Shape]
  | { readonly [name: string]: Shape }
export type Value = string | number | boolean | Value[] | { [name: string]: Value }
export type Params = Record<string, Value>

type Tree = string | { [name: string]: Tree }

/** @throws the error that `invalid` returns */
export function readForm(text: string, shape: Record<string, Shape>): Params {
  const tree: Record<string, Tree> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) place(tree, keysOf(name), value)
  return convert(tree, shape, '') as Params
}

function keysOf(name: string): string[] {
  return name.split('[').map((part) => part.replace(/\]$/, ''))
}

function place(tree: Record<string, Tree>, [first = '', ...rest]: string[], value: string): void {
  if (rest.length === 0) {
    tree[first] = value
    return
  }
  const inner = tree[first]
  const branch: Record<string, Tree> = typeof inner === 'object' ? inner : Object.create(null)
  tree[first] = branch
  place(branch, rest, value)
}

function convert(tree: Tree, shape: Shape, path: string): Value {
  if (typeof shape === 'string' && shape !== 'texts') return leaf(tree, shape, path)
  if (typeof tree === 'string') throw invalid('parameter_invalid_empty', path, `Invalid object: ${path}`)
  if (shape === 'texts')
    return Object.fromEntries(
      Object.entries(tree).map(([name, value]) => [name, leaf(value, 'text', `${path}[${name}]`)]),
    )
  if (isList(shape))
    return Object.entries(tree).map(([name, each]) => convert(each, shape[0], `${path}[${name}]`))
  const own = shape as Record<string, Shape>
  return Object.fromEntries(
    Object.entries(tree).map(([name, each]) => {
      const at = path === '' ? name : `${path}[${name}]`
      const inner = Object.hasOwn(own, name) ? own[name] : undefined
      if (inner === undefined) throw invalid('parameter_unknown', at, `Received unknown parameter: ${at}`)
      return [name, convert(each, inner, at)]
    }),
  )
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape)
}

function leaf(tree: Tree, kind: 'text' | 'integer' | 'boolean', path: string): Value {
  if (typeof tree !== 'string') throw invalid('parameter_invalid_string', path, `Invalid string: ${path}`)
  if (kind === 'text') return tree
  if (kind === 'boolean') {
    if (tree !== 'true' && tree !== 'false') throw invalid('', path, `Invalid boolean: ${path}`)
    return tree === 'true'
  }
  if (!/^-?\d{1,15}$/.test(tree)) throw invalid('parameter_invalid_integer', path, `Invalid integer: ${path}`)
  return Number(tree)
}

const PAGE = { limit: 'integer', starting_after: 'text', ending_before: 'text', expand: ['text'] } as const
const CREATED = { gt: 'integer', gte: 'integer', lt: 'integer', lte: 'integer' } as const
const EXPAND = { expand: ['text'] } as const

/**
 * The parameters of each endpoint that this simulator accepts. It rejects Stripe's other parameters, so that the driver sends
 * none without effect.
 */
export const ENDPOINTS = {
  'GET account': {},
  'GET webhook_endpoints': PAGE,
  'GET v2/core/event_destinations': { limit: 'integer', include: ['text'] },
  'POST checkout/sessions': {
    mode: 'text',
    client_reference_id: 'text',
    metadata: 'texts',
    success_url: 'text',
    cancel_url: 'text',
    expires_at: 'integer',
    customer_creation: 'text',
    customer_email: 'text',
    locale: 'text',
    allowed_payment_method_types: ['text'],
    currency: 'text',
    adaptive_pricing: { enabled: 'boolean' },
    payment_intent_data: { metadata: 'texts', capture_method: 'text', description: 'text' },
    setup_intent_data: { metadata: 'texts', description: 'text' },
    line_items: [
      {
        quantity: 'integer',
        price_data: { currency: 'text', unit_amount: 'integer', product_data: { name: 'text' } },
      },
    ],
    ...EXPAND,
  },
  'GET checkout/sessions': { ...PAGE, created: CREATED, payment_intent: 'text', status: 'text' },
  'GET checkout/sessions/:id': EXPAND,
  'POST checkout/sessions/:id/expire': EXPAND,
  'POST payment_intents': {
    amount: 'integer',
    currency: 'text',
    customer: 'text',
    payment_method: 'text',
    allowed_payment_method_types: ['text'],
    off_session: 'boolean',
    confirm: 'boolean',
    metadata: 'texts',
    description: 'text',
    ...EXPAND,
  },
  'GET payment_intents': { ...PAGE, created: CREATED, customer: 'text' },
  'GET payment_intents/:id': EXPAND,
  'POST payment_intents/:id/capture': { amount_to_capture: 'integer', ...EXPAND },
  'POST payment_intents/:id/cancel': { cancellation_reason: 'text', ...EXPAND },
  'POST refunds': { payment_intent: 'text', amount: 'integer', metadata: 'texts', reason: 'text', ...EXPAND },
  'GET refunds': { ...PAGE, payment_intent: 'text', charge: 'text' },
  'GET disputes': { ...PAGE, payment_intent: 'text', charge: 'text' },
  'GET charges/:id': EXPAND,
  'GET refunds/:id': EXPAND,
  'GET disputes/:id': EXPAND,
  'GET mandates/:id': EXPAND,
  'GET payment_methods/:id': EXPAND,
  'POST payment_methods/:id/detach': EXPAND,
} as const satisfies Record<string, Record<string, Shape>>
export type Endpoint = keyof typeof ENDPOINTS
