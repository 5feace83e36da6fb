/** A shop that is paid through a simulated Stripe or PayPal, which runs in its own process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { arriveAtThanks } from './buyer.ts'
import { COMPILE_CACHE, type Kassa } from './kassa.ts'
import type { Operator } from './operator.ts'
import { Shop } from './shop.ts'
import { expect } from './stage.ts'

const ENTRY = fileURLToPath(new URL('../../server/testing/processes/provider-main.ts', import.meta.url))

export type ProviderShop = {
  shop: Shop
  /** Requests a refund through the merchant's API. */
  refund(paymentId: string, amountMinor: number): Promise<void>
  /** Lets the newest buyer open a dispute at the provider, which sends a webhook. */
  dispute(): Promise<void>
  close(): Promise<void>
}

/** The service's look at the accounts is up to a second old. Until then the merchant's payments go to the simulated bank. */
const ACCOUNTS_READ_WITHIN_MS = 1_100

/** Opens a new merchant whose own account of the default route is at this provider. Its receipts are printed in the sandbox. */
export async function openProviderShop(
  driver: 'stripe' | 'paypal',
  { kassa, operator }: { kassa: Kassa; operator: Operator },
): Promise<ProviderShop> {
  const provider = await startProvider(driver)
  const shop = await Shop.open(kassa.url)
  const { origin } = shop
  const at = { origin, callbackUrl: `${origin}/callback`, returnUrl: `${origin}/thanks` }
  shop.moveIn(await operator.openAccount(at))
  const { merchantId, token } = shop.account
  const settings = Object.entries({ ...provider.settings, FISCAL: 'sandbox' })
  const { accountId } = await operator.run<{ accountId: string }>(
    ...['account', 'set', '--merchant', merchantId, '--route', 'route_a', '--driver', driver],
    ...settings.flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  )
  await provider.ask({ webhook: `${kassa.url}/callbacks/${accountId}` })
  await sleep(ACCOUNTS_READ_WITHIN_MS)
  return {
    shop,
    async refund(paymentId, amountMinor) {
      const answer = await fetch(`${kassa.url}/v1/payments/${paymentId}/refunds`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': `refund-${paymentId}`,
        },
        body: JSON.stringify({ amountMinor, reason: 'A cup came broken' }),
      })
      if (answer.status !== 201)
        throw new Error(`The refund returned ${answer.status}: ${await answer.text()}`)
    },
    dispute: () => provider.ask({ dispute: true }),
    async close() {
      await provider.close()
      await shop.close()
    },
  }
}

/** Checks what follows the buyer's return: the event, a partial refund, both receipts, a dispute and the look-up. Closes the shop. */
export async function followPaidOrder(
  page: Page,
  { kassa, paymentId, providerShop }: { kassa: Kassa; paymentId: string; providerShop: ProviderShop },
): Promise<void> {
  const { shop } = providerShop
  await arriveAtThanks(page, shop)
  expect((await shop.eventOf(paymentId, 'paid')).refusal).toBeNull()

  await providerShop.refund(paymentId, 500)
  await shop.eventOf(paymentId, 'partially_refunded')
  const receipt = `${kassa.url}/checkout/${paymentId}/receipt`
  const countReceipts = async () => (await (await fetch(receipt)).text()).match(/Receipt number/g)?.length
  await expect.poll(countReceipts).toBe(2)
  await page.goto(receipt)
  await expect(page.getByTestId('receipt')).toContainText('$5.00')
  await expect(page.getByTestId('fiscal').locator('dl')).toHaveCount(2)

  await providerShop.dispute()
  await shop.eventOf(paymentId, 'disputed')
  expect(await shop.lookUp(paymentId)).toMatchObject({
    status: 'disputed',
    amountMinor: 1500,
    capturedMinor: 1500,
    refundedMinor: 500,
    provider: 'route_a',
  })
  await providerShop.close()
}

async function startProvider(driver: string) {
  const child = spawn(process.execPath, [ENTRY, driver], {
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const { value } = await lines.next()
  const { settings } = JSON.parse(value ?? '{}') as { settings: Record<string, string> }
  return {
    settings,
    async ask(command: { webhook: string } | { dispute: true }): Promise<void> {
      child.stdin.write(`${JSON.stringify(command)}\n`)
      await lines.next()
    },
    async close(): Promise<void> {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}
