/**
 * A stand-in driver for a bank that saves a card only by a real payment. The bank keeps the card as a binding once the payment is
 * made. `bindingDriver` knows a bank that does a repeated write twice, and `keyedBindingDriver` one that remembers a key.
 */
import { z } from 'zod'
import { RetryLaterError } from '../../../providers/driver/refusal.ts'
import type { Driver, ProviderCall, SavingMoney, WriteResult } from '../../../providers/driver.ts'

const Settings = z.object({
  ADDRESS: z.string().describe('The address of the bank.'),
  LOGIN: z.string().describe('The login at the bank.'),
  SAVING_AMOUNT: z.coerce.number().int().default(100).describe('What saving a card takes, in minor units.'),
  OPERATIONS: z.string().default('enabled').describe('Whether operations are enabled.'),
})
type BindingSettings = z.infer<typeof Settings>

const Order = z
  .object({
    code: z.literal(0),
    state: z.enum(['waiting', 'held', 'taken', 'declined']),
    held: z.number(),
    taken: z.number(),
    returned: z.number(),
    binding: z.string().nullable(),
    isUnbound: z.boolean(),
  })
  .or(z.object({ code: z.literal(6) }))
const Done = z.object({ code: z.number() })
const Registered = z.object({ code: z.literal(0), url: z.string() }).or(z.object({ code: z.literal(1) }))

async function post<Answer>(
  { http, settings }: ProviderCall<BindingSettings>,
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
  if (status === 429) throw new RetryLaterError('the bank answered 429', headers)
  if (status !== 200) throw new Error(`the bank answered with ${status}`)
  return answer.parse(JSON.parse(text))
}

const written = ({ code }: { code: number }): WriteResult =>
  code === 0 ? { kind: 'done' } : { kind: 'refused', message: `the bank says ${code}`, refusal: 'order' }

const STATUS = { waiting: 'pending', held: 'active', taken: 'active', declined: 'cancelled' } as const

export const bindingDriver: Driver<BindingSettings> = {
  label: 'Stand-in bank with bindings',
  currencies: ['USD'],
  liveCapable: false,
  supportsAutoinit: true,
  settings: Settings,
  identity: ['LOGIN'],
  addresses: ({ ADDRESS }) => [ADDRESS],
  // The bank takes integers only.
  orderNumbers: () => ({ first: 9_001, last: 99_999 }),
  startCheckout: async () => ({
    kind: 'refused',
    message: 'this stand-in only saves cards',
    refusal: 'order',
  }),
  savingPrice: ({ SAVING_AMOUNT }) =>
    SAVING_AMOUNT === 0 ? null : { amountMinor: SAVING_AMOUNT, currency: 'USD' },
  async saveToken(call, { reference, price, returnUrl }) {
    const fields = { number: reference, amount: String(price?.amountMinor ?? 0), returnUrl }
    const answer = await post(call, 'register', fields, Registered)
    if (answer.code === 1) return { kind: 'unknown', message: 'the number has an order' }
    return { kind: 'redirect', url: answer.url }
  },
  async lookUpToken(call, { reference }) {
    const answer = await post(call, 'status', { number: reference }, Order)
    if (answer.code === 6) return { kind: 'not_found' }
    const { state, held: heldMinor, taken: takenMinor, returned: returnedMinor, binding, isUnbound } = answer
    const sums = { currency: 'USD', heldMinor, takenMinor, returnedMinor } as const
    const money: SavingMoney = { reference: `bank ${reference}`, ...sums }
    const hasMoved = state === 'held' || state === 'taken'
    // A card that the bank has not saved yet is still on its way.
    const isOnItsWay = hasMoved && binding === null
    const status = isUnbound ? 'revoked' : isOnItsWay ? 'pending' : STATUS[state]
    return {
      kind: 'found',
      status,
      ...(binding !== null && { state: { binding }, card: { brand: 'visa', last4: '4242' } }),
      ...(hasMoved && { money }),
    }
  },
  async finishSaving(call, { reference, key, before }) {
    const fields = { number: reference, key }
    if (before.heldMinor > 0) return written(await post(call, 'reverse', fields, Done))
    const amount = String(before.takenMinor - before.returnedMinor)
    return written(await post(call, 'refund', { ...fields, amount }, Done))
  },
  async revokeToken(call, { reference }) {
    return written(await post(call, 'unbind', { number: reference }, Done))
  },
}

export const keyedBindingDriver: Driver<BindingSettings> = {
  ...bindingDriver,
  keyed: () => ({ finishSaving: 24 * 3_600_000 }),
}
