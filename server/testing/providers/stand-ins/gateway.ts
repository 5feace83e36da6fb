/**
 * A stand-in driver for a bank's gateway. An order has an integer of the account's range, and is found by it. The address where the
 * buyer pays is told once, when the order is registered. An order that nobody has paid can be declined, but not at the gateway of
 * `poorGatewayDriver`. One unsigned notification names every order that has changed.
 */
import { z } from 'zod'
import { plainReply } from '../../../providers/driver/inbound.ts'
import {
  type AccountRefusal,
  AccountRefusedError,
  RetryLaterError,
  UnreadableError,
} from '../../../providers/driver/refusal.ts'
import type {
  Driver,
  InboundEvent,
  LookUpAnswer,
  ProviderCall,
  RawInbound,
  Snapshot,
} from '../../../providers/driver.ts'

const Settings = z.object({
  ADDRESS: z.string().describe('The address of the gateway.'),
  LOGIN: z.string().describe('The login at the gateway.'),
  FIRST_NUMBER: z.coerce.number().int().describe('The first order number of the range.'),
  LAST_NUMBER: z.coerce.number().int().describe('The last order number of the range.'),
})
type GatewaySettings = z.infer<typeof Settings>

const Registered = z
  .object({ code: z.literal(0), url: z.string() })
  .or(z.object({ code: z.literal(1) }))
  .or(z.object({ code: z.literal(4) }))
const Status = z
  .object({
    code: z.literal(0),
    status: z.number(),
    amount: z.number().optional(),
    taken: z.number().optional(),
  })
  .or(z.object({ code: z.literal(6) }))

/** The gateway's words for how an order stands. */
const STANDING: Record<number, Snapshot['order']> = { 0: 'waiting', 2: 'completed', 6: 'declined' }

async function post<Answer>(
  { http, settings }: ProviderCall<GatewaySettings>,
  method: string,
  fields: Record<string, string>,
  answer: z.ZodType<Answer>,
): Promise<Answer> {
  const body = new URLSearchParams({ login: settings.LOGIN, ...fields }).toString()
  const url = `${settings.ADDRESS}/${method}`
  const { status, text, headers } = await http.request({
    method: 'POST',
    url,
    body,
    isRead: method === 'status',
  })
  if (status === 429) throw new RetryLaterError('the gateway answered 429', headers)
  if (status !== 200) throw new Error(`the gateway answered with ${status}`)
  const parsed: unknown = JSON.parse(text)
  const refused = REFUSALS[String((parsed as { code?: unknown } | null)?.code)]
  if (refused) throw new AccountRefusedError(refused, `the gateway refuses: ${refused}`)
  return answer.parse(parsed)
}

/** The codes with which the gateway refuses whatever was asked for. */
const REFUSALS: Record<string, AccountRefusal> = {
  5: 'credentials',
  8: 'account',
  9: 'rights',
}

function receive({ body }: RawInbound): InboundEvent {
  const [, list] = /^orders=(\d+(?:,\d+)*)$/.exec(body.toString()) ?? []
  if (list === undefined) return { kind: 'rejected', message: 'no order is named' }
  const hints = list.split(',').map((reference) => ({ kind: 'hint', reference }) as const)
  const [first] = hints
  return hints.length === 1 && first ? first : { kind: 'several', events: hints }
}

export const gatewayDriver: Driver<GatewaySettings> = {
  label: 'Stand-in gateway',
  currencies: ['USD'],
  liveCapable: false,
  supportsAutoinit: true,
  settings: Settings,
  identity: ['LOGIN'],
  addresses: ({ ADDRESS }) => [ADDRESS],
  orderNumbers: ({ FIRST_NUMBER: first, LAST_NUMBER: last }) => ({ first, last }),
  async startCheckout(call, { reference, amountMinor, returnUrl, language }) {
    const fields = {
      number: reference,
      amount: String(amountMinor),
      returnUrl,
      ...(language && { language }),
    }
    const answer = await post(call, 'register', fields, Registered)
    // The number has an order already, whose address nobody knows any more.
    if (answer.code === 1) return { kind: 'unknown', message: 'the number has an order' }
    if (answer.code === 4)
      return { kind: 'refused', message: 'the gateway takes no such amount', refusal: 'amount' }
    return { kind: 'redirect', url: answer.url }
  },
  async lookUp(call, { reference }): Promise<LookUpAnswer> {
    const answer = await post(call, 'status', { number: reference }, Status)
    if (answer.code === 6) return { kind: 'not_found' }
    const order = STANDING[answer.status] ?? 'unclear'
    const { amount: amountMinor, taken } = answer
    if (order === 'waiting' || order === 'declined') return { kind: 'unpaid', order }
    if (amountMinor === undefined || taken === undefined)
      throw new UnreadableError('the gateway names no amount of an order that is paid')
    const money = { authorizedMinor: taken, capturedMinor: taken, refundedMinor: 0 }
    return { kind: 'found', snapshot: { order, reference, amountMinor, currency: 'USD', ...money } }
  },
  async withdraw(call, { reference }) {
    const { code } = await post(call, 'decline', { number: reference }, z.object({ code: z.number() }))
    return code === 0
      ? { kind: 'done' }
      : { kind: 'refused', message: `the gateway says ${code}`, refusal: 'order' }
  },
  inbound: {
    receive: async (_call, raw) => receive(raw),
    reply: plainReply,
  },
}

const { withdraw: _, ...withoutWithdraw } = gatewayDriver

export const poorGatewayDriver: Driver<GatewaySettings> = { ...withoutWithdraw, addressShownOnce: true }
