/**
 * A stand-in driver for a wallet without an API. The buyer's browser posts a form, the wallet asks us before it takes the money, and
 * afterwards it proves the payment with a checksum. Buyers come back to one address, which is set up at the wallet.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Driver, InboundEvent, RawInbound } from '../../../providers/driver.ts'

const Settings = z.object({
  ADDRESS: z.string().describe('The address of the wallet.'),
  SHOP: z.string().describe('The shop at the wallet.'),
  SECRET: z.string().describe('The secret of the checksum.'),
  CALLERS: z.string().default('').describe('The addresses from which the wallet calls.'),
})
type WalletSettings = z.infer<typeof Settings>

const CURRENCY = 'USD'
const decimal = (minor: number) => `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`

/** Returns minor units; null if the text is no amount. `19`, `19.0` and `19.00` are equal. */
function minorOf(text = ''): number | null {
  const [, whole, part = ''] = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(text) ?? []
  return whole === undefined ? null : Number(whole) * 100 + Number(part.padEnd(2, '0'))
}

export type WalletFields = Record<'SHOP' | 'AMOUNT' | 'BILL' | 'TRANSACTION', string>

export const checksumOf = (secret: string, { SHOP, AMOUNT, BILL, TRANSACTION }: WalletFields) =>
  createHash('md5').update([SHOP, AMOUNT, secret, BILL, TRANSACTION].join(':')).digest('hex')

const rejected = (message: string): InboundEvent => ({ kind: 'rejected', message })

function receive({ SHOP, SECRET }: WalletSettings, { body }: RawInbound): InboundEvent {
  const fields = Object.fromEntries(new URLSearchParams(body.toString()))
  const { BILL: reference = '', AMOUNT, PRECHECK, TRANSACTION = '', CHECKSUM } = fields
  const amountMinor = minorOf(AMOUNT)
  if (fields.SHOP !== SHOP || amountMinor === null || reference === '') return rejected('not about this shop')
  if (PRECHECK === 'YES') return { kind: 'precheck', reference, amountMinor, currency: CURRENCY }
  if (CHECKSUM !== checksumOf(SECRET, fields as WalletFields)) return rejected('wrong checksum')
  const money = { authorizedMinor: amountMinor, capturedMinor: amountMinor, refundedMinor: 0 }
  const order = { reference, amountMinor, currency: CURRENCY, ...money } as const
  return {
    kind: 'proof',
    reference,
    snapshot: { ...order, order: 'completed', providerTransactionId: TRANSACTION },
  }
}

export const walletDriver: Driver<WalletSettings> = {
  label: 'Stand-in wallet',
  currencies: [CURRENCY],
  liveCapable: false,
  supportsAutoinit: false,
  settings: Settings,
  identity: ['SHOP'],
  secrets: ['SECRET'],
  fixedReturn: true,
  callbacksSetUp: () => true,
  composeCheckout({ settings: { ADDRESS, SHOP } }, { reference, amountMinor }) {
    const fields = { SHOP, BILL: reference, AMOUNT: decimal(amountMinor) }
    return { kind: 'form', action: `${ADDRESS}/pay`, fields }
  },
  inbound: {
    receive: async ({ settings }, raw) => receive(settings, raw),
    // The wallet keeps the money only after exactly this text. With any other text and status 200 it gives the money back.
    reply: (_event, verdict) =>
      verdict === 'accepted'
        ? { status: 200, body: 'OK' }
        : { status: verdict === 'unsure' ? 500 : 200, body: verdict },
    unheard: { status: 200, body: 'not stored' },
    callers: ({ CALLERS }) => CALLERS.split(' ').filter((each) => each !== ''),
  },
}
