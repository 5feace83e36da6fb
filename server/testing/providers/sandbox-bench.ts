/** The simulated bank of the sandbox for the conformance suite of drivers. */
import type { z } from 'zod'
import type { Opened, RawInbound } from '../../providers/driver.ts'
import { SandboxSettings } from '../../providers/sandbox/settings.ts'
import type { BankAddress, Outcome } from '../../sandbox/bank/order.ts'
import { sumOfRefunds } from '../../sandbox/bank/order.ts'
import type { DriverSimulator } from './driver-bench.ts'
import { startMemoryBank } from './memory-bank.ts'

type Settings = z.infer<typeof SandboxSettings>

const CUSTOMER = 'suite'
const OUTCOMES = { pay: 'paid', decline: 'declined', cancel: 'cancelled' } as const
const CARDS = { save: 'saved', save_and_decline: 'saved_then_declines', cancel: 'cancelled' } as const

const WRITES = [
  { call: 'chargeToken', path: /\/cards\/[^/]+\/charges$/ },
  { call: 'refund', path: /\/orders\/[^/]+\/refunds$/ },
  { call: 'capture', path: /\/orders\/[^/]+\/capture$/ },
  { call: 'void', path: /\/orders\/[^/]+\/void$/ },
] as const

export async function startSandboxBench(): Promise<DriverSimulator<Settings>> {
  let aheadMs = 0
  const now = () => new Date(Date.now() + aheadMs)
  let sent: RawInbound[] = []
  const memory = await startMemoryBank(now, async (url, { headers, body }) => {
    const { pathname: path } = new URL(url)
    sent.push({ method: 'POST', path, query: {}, headers, body: Buffer.from(body) })
    return { kind: 'answered', statusCode: 200 }
  })
  const { bank, cards } = memory
  const at = (reference: string): BankAddress => ({ customer: CUSTOMER, reference })

  /** Opens the address that the driver made, as the buyer's browser does. */
  async function arrive(opened: Opened): Promise<BankAddress> {
    if (opened.kind !== 'redirect') throw new Error('the bank wants a redirect')
    const { pathname, searchParams } = new URL(opened.url)
    const [customer = '', reference = ''] = pathname.split('/').slice(-2)
    const entry = await bank.arrive({ customer, reference }, searchParams.get('order') ?? '', now())
    if (!entry) throw new Error('the bank does not know the seal')
    return { customer, reference }
  }

  return {
    origin: memory.origin,
    settings: (origin, { credentials, steps }) => {
      const secret = bank.customers.secretOf(credentials === 'right' ? CUSTOMER : 'somebody-else')
      return SandboxSettings.parse({ CUSTOMER, SECRET: secret, ADDRESS: `${origin}/bank`, STEPS: steps })
    },
    now,
    async advance(ms) {
      aheadMs += ms
      while ((await bank.work(now())) > 0);
    },
    async buyer(opened, does) {
      const order = await arrive(opened)
      if (does === 'approve') return
      await bank.choose(order, OUTCOMES[does] satisfies Outcome, now())
    },
    async saver(opened, does) {
      if (opened.kind !== 'redirect') throw new Error('the bank wants a redirect')
      await cards.choose(at(new URL(opened.url).pathname.split('/').at(-1) ?? ''), CARDS[does], now())
    },
    books: (reference) => booksOf(bank, at(reference), now()),
    forget: async (reference) => memory.forget(at(reference)),
    charges: async ({ reference }) =>
      (await cards.find(at(reference)))?.statement.filter(({ taken }) => taken).length ?? 0,
    writes: WRITES,
    async callbacks() {
      const all = sent
      sent = []
      return all
    },
    causeFault: (what) => ({ metadata: { sandboxFault: what === 'disputed' ? 'dispute_won' : what } }),
    laterMs: 65_000,
    close: memory.close,
  }
}

type Bank = Awaited<ReturnType<typeof startMemoryBank>>['bank']

async function booksOf(bank: Bank, address: BankAddress, now: Date) {
  const entry = await bank.find(address, now)
  if (!entry) throw new Error(`the bank has no order ${address.reference}`)
  const { authorizedMinor, capturedMinor, reversed } = entry
  return {
    orders: 1,
    authorizedMinor,
    capturedMinor,
    refundedMinor: sumOfRefunds(entry, 'done'),
    isReversed: reversed,
  }
}
