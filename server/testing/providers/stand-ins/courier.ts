/**
 * A stand-in driver for a bank that takes refunds and captures, and tells what became of them only in signed letters. A look-up shows an
 * order as its buyer has left it. A refund needs a ticket first, which moves no money.
 */
import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { plainReply } from '../../../providers/driver/inbound.ts'
import {
  type AccountRefusal,
  AccountRefusedError,
  RetryLaterError,
} from '../../../providers/driver/refusal.ts'
import type {
  Driver,
  InboundEvent,
  ProviderCall,
  RawInbound,
  WriteResult,
} from '../../../providers/driver.ts'

const Settings = z.object({
  ADDRESS: z.string().describe('The address of the bank.'),
  LOGIN: z.string().describe('The login at the bank.'),
  SECRET: z.string().describe('The secret with which the bank signs.'),
  STEPS: z.enum(['one', 'two']).default('one').describe('Whether the money is captured later.'),
  OPERATIONS: z.string().default('enabled').describe('Whether operations are enabled.'),
})
export type CourierSettings = z.infer<typeof Settings>

const CURRENCY = 'USD'
const Done = z.object({ code: z.literal([0, 7]), id: z.string().optional() })
const Opened = z.object({ code: z.literal(0), url: z.string() })
const Status = z
  .object({
    code: z.literal(0),
    status: z.enum(['waiting', 'held', 'taken', 'declined']),
    amount: z.number(),
    url: z.string(),
  })
  .or(z.object({ code: z.literal(6) }))
const Letter = z.object({
  number: z.string(),
  event: z.enum(['paid', 'refund', 'capture']),
  id: z.string(),
  state: z.enum(['pending', 'done', 'failed']),
  amount: z.coerce.number().int(),
})

const REFUSALS: Record<string, AccountRefusal> = { 5: 'credentials', 8: 'account' }

export const letterSum = (secret: string, text: string) =>
  createHmac('sha256', secret).update(text).digest('hex')

async function post<Answer>(
  { http, settings }: ProviderCall<CourierSettings>,
  method: string,
  fields: Record<string, string>,
  answer: z.ZodType<Answer>,
): Promise<Answer> {
  const { status, text, headers } = await http.request({
    method: 'POST',
    url: `${settings.ADDRESS}/${method}`,
    body: new URLSearchParams({ login: settings.LOGIN, ...fields }).toString(),
    isRead: method === 'status',
    movesNoMoney: method === 'ticket',
  })
  if (status === 429) throw new RetryLaterError('the bank answered 429', headers)
  if (status !== 200) throw new Error(`the bank answered with ${status}`)
  const parsed: unknown = JSON.parse(text)
  const refused = REFUSALS[String((parsed as { code?: unknown } | null)?.code)]
  if (refused) throw new AccountRefusedError(refused, `the bank refuses: ${refused}`)
  return answer.parse(parsed)
}

const written = ({ code, id }: z.infer<typeof Done>): WriteResult =>
  code === 0
    ? { kind: 'pending', ...(id !== undefined && { operationId: id }) }
    : { kind: 'refused', message: `the bank says ${code}`, refusal: 'order' }

function receive({ SECRET }: CourierSettings, { body, headers }: RawInbound): InboundEvent {
  const text = body.toString()
  if (headers['x-sum'] !== letterSum(SECRET, text)) return { kind: 'rejected', message: 'wrong sum' }
  const {
    number: reference,
    event,
    id,
    state,
    amount,
  } = Letter.parse(Object.fromEntries(new URLSearchParams(text)))
  if (event === 'paid') return { kind: 'hint', reference }
  return { kind: 'result', write: event, reference, id, state, amountMinor: amount, currency: CURRENCY }
}

export const courierDriver: Driver<CourierSettings> = {
  label: 'Stand-in bank that writes letters',
  currencies: [CURRENCY],
  liveCapable: false,
  supportsAutoinit: true,
  settings: Settings,
  identity: ['LOGIN'],
  secrets: ['SECRET'],
  addresses: ({ ADDRESS }) => [ADDRESS],
  callbacksSetUp: () => true,
  resultsByCallback: ['refund', 'capture'],
  keyed: () => ({ start: 24 * 3_600_000 }),
  async startCheckout(call, { reference, amountMinor }) {
    const fields = { number: reference, amount: String(amountMinor), steps: call.settings.STEPS }
    return { kind: 'redirect', url: (await post(call, 'register', fields, Opened)).url }
  },
  async lookUp(call, { reference }) {
    const answer = await post(call, 'status', { number: reference }, Status)
    if (answer.code === 6) return { kind: 'not_found' }
    const { status, amount: amountMinor, url } = answer
    if (status === 'declined') return { kind: 'unpaid', order: 'declined' }
    if (status === 'waiting') return { kind: 'unpaid', order: 'waiting', opened: { kind: 'redirect', url } }
    const capturedMinor = status === 'taken' ? amountMinor : 0
    const money = { authorizedMinor: amountMinor, capturedMinor, refundedMinor: 0 }
    return {
      kind: 'found',
      snapshot: { order: 'completed', reference, amountMinor, currency: CURRENCY, ...money },
    }
  },
  async refund(call, { reference, amountMinor, key }) {
    await post(call, 'ticket', { number: reference, key }, Done)
    return written(await post(call, 'refund', { number: reference, key, amount: String(amountMinor) }, Done))
  },
  async capture(call, { reference, amountMinor, key }) {
    return written(await post(call, 'capture', { number: reference, key, amount: String(amountMinor) }, Done))
  },
  inbound: {
    async receive({ settings }, raw) {
      try {
        return receive(settings, raw)
      } catch {
        return { kind: 'rejected', message: 'not readable' }
      }
    },
    reply: plainReply,
  },
}
