/** Every fault changes something that a customer of the bank or of the register sees. So a hook that nobody calls is found here. */
import { expect, test } from 'vitest'
import { FAULT_NAMES, type SandboxFault } from '../contract/faults.ts'
import { REGISTER_FAULTS, type RegisterFault } from '../providers/fiscal/sandbox/wire.ts'
import { startMemoryBank } from '../testing/providers/memory-bank.ts'
import { startMemoryRegister } from '../testing/providers/memory-register.ts'
import type { Reply } from './request.ts'

const START = new Date('2026-03-02T10:00:00Z')
const EXPIRES_MS = 300_000
/** Long enough for every fault, in steps that are shorter than every delay. */
const STEPS = 600
const STEP_MS = 1_000
const TERMS = { merchantName: 'Teahouse', amountMinor: 1900, currency: 'USD' as const }

type Faults = { fault?: SandboxFault; registerFault?: RegisterFault }

/** Returns all replies and callbacks of an order that is paid and refunded, of one that is left open, and of a receipt. */
async function observe({ fault, registerFault }: Faults): Promise<string[]> {
  return [...(await observeBank(fault)), ...(await observeRegister(fault, registerFault))]
}

async function observeBank(fault: SandboxFault | undefined): Promise<string[]> {
  let now = START
  const seen: string[] = []
  const { bank, close } = await startMemoryBank(
    () => now,
    async (_url, { body }) => {
      seen.push(`${now.toISOString()} ${body}`)
      return { kind: 'answered', statusCode: 200 }
    },
  )
  const note = async (reply: Promise<Reply>) =>
    seen.push(
      await reply.then(
        ({ status, text }) => `${status} ${text.replace(/"checkoutUrl":"[^"]*"/, '')}`,
        () => 'lost',
      ),
    )
  for (const reference of ['paid', 'left']) {
    const at = { customer: 'kassa', reference }
    const order = { ...TERMS, reference, twoStep: false, ...(fault && { fault }) }
    const addresses = { returnUrl: 'https://shop.example/', callbackUrl: 'https://kassa.example/' }
    const expiresAt = new Date(START.getTime() + EXPIRES_MS).toISOString()
    const url = await bank.customers.orderUrl(bank.address, 'kassa', { ...order, ...addresses, expiresAt })
    await bank.arrive(at, new URL(url).searchParams.get('order') ?? '', now)
    if (reference === 'paid') await bank.choose(at, 'paid', now)
    await note(bank.status(at, now))
    await note(bank.write(at, 'refund', { amountMinor: 500, now }))
  }
  for (let step = 0; step < STEPS; step++) {
    now = new Date(now.getTime() + STEP_MS)
    while ((await bank.work(now)) > 0);
  }
  for (const reference of ['paid', 'left']) await note(bank.status({ customer: 'kassa', reference }, now))
  await close()
  return seen
}

async function observeRegister(
  paymentFault: SandboxFault | undefined,
  fault: RegisterFault | undefined,
): Promise<string[]> {
  const { origin, secretOf, close } = await startMemoryRegister()
  const authorization = `Basic ${Buffer.from(`till:${secretOf('till')}`).toString('base64')}`
  const order = { ...TERMS, reference: 'sale', sequence: 1, paymentFault, fault }
  const sent = { method: 'POST', headers: { authorization }, body: JSON.stringify(order) }
  const seen = await fetch(`${origin}/api/receipts`, sent).then(
    (answer) => answer.text(),
    () => 'lost',
  )
  await close()
  return [seen]
}

const usual = await observe({})

test('without a fault the same is seen each time', async () => {
  expect(usual.length).toBeGreaterThan(8)
  expect(await observe({})).toEqual(usual)
})

// The reply of `slow` is the usual one. `providers/sandbox/slow.test.ts` waits for it.
test.each(FAULT_NAMES.filter((fault) => fault !== 'slow'))('%s changes what is seen', async (fault) => {
  expect(await observe({ fault })).not.toEqual(usual)
})

test.each(REGISTER_FAULTS)('%s of a register changes what is seen', async (registerFault) => {
  expect(await observe({ registerFault })).not.toEqual(usual)
})
