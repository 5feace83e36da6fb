/** The interfaces of a Medusa shop that serves requests. */
import { toMinor } from '../../../clients/node/kassa.mjs'
import type { Sum } from '../platform.ts'

export type Seeded = {
  publishableKey: string
  variant: string
  regions: Record<string, string>
  staff: { email: string; password: string }
}
// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
export type Answer = any
type Ask = (path: string, body?: object) => Promise<Answer>

export type Api = {
  admin: Ask
  store: Ask
  /** The routes of the shop's own code. */
  code: Ask
  seeded: Seeded
  /** The currency of each cart. */
  currencies: Map<string, Sum['currency']>
  currencyOf(cart: string): Sum['currency']
  minorOf(amount: number, cart: string): number
  sessionsOf(cart: string): Promise<Answer[]>
}

/** Signs the staff in. */
export async function openApi(url: string, seeded: Seeded): Promise<Api> {
  async function call(path: string, headers: Record<string, string>, body?: object): Promise<Answer> {
    const answer = await fetch(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const value = await answer.json()
    if (!answer.ok) throw new Error(value.message ?? JSON.stringify(value))
    return value
  }
  const { token } = await call('/auth/user/emailpass', {}, seeded.staff)
  const store: Ask = (path, body) =>
    call(`/store${path}`, { 'x-publishable-api-key': seeded.publishableKey }, body)
  const currencies = new Map<string, Sum['currency']>()
  const currencyOf = (cart: string) => currencies.get(cart) ?? 'USD'
  return {
    admin: (path, body) => call(`/admin${path}`, { authorization: `Bearer ${token}` }, body),
    store,
    code: (path, body) => call(`/code${path}`, {}, body),
    seeded,
    currencies,
    currencyOf,
    minorOf: (amount, cart) => toMinor(String(amount), currencyOf(cart)),
    async sessionsOf(cart) {
      const { cart: found } = await store(`/carts/${cart}?fields=id,*payment_collection.payment_sessions`)
      return found.payment_collection?.payment_sessions ?? []
    },
  }
}
