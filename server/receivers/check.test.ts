/** What a check of a callback proves, and what it does not: a merchant may set another address while the check runs. */
import { expect, test } from 'vitest'
import { getOnboarding } from '../merchants/onboarding.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import type { Exchange } from '../outbound/outbound.ts'
import { LIVE_SETTINGS } from '../testing/scene/live.ts'
import { openKassa } from '../testing/scene.ts'
import { verifyCallback } from './check.ts'
import { setCallback } from './receiver.ts'

const OLD = 'https://shop.example/old'
const NEW = 'https://shop.example/new'

const kassa = await openKassa({ settings: LIVE_SETTINGS, permitted: { baseUrl: undefined } })
const { live } = kassa

async function merchantAt(url: string): Promise<string> {
  const { merchantId } = await createMerchant(kassa.worlds.sandbox, { name: 'Tea' })
  await setCallback(live, merchantId, url)
  return merchantId
}
async function isProved(merchantId: string): Promise<boolean | undefined> {
  const { steps } = await getOnboarding(live, merchantId)
  return steps.find(({ step }) => step === 'callback_verified')?.done
}

/** A receiver that accepts the valid event and its repetition only. `during`: what happens while the check runs. */
function verify(
  merchantId: string,
  { during, accepts = true }: { during?: () => Promise<unknown>; accepts?: boolean } = {},
) {
  let sent = 0
  return verifyCallback(live, merchantId, {
    post: async (): Promise<Exchange> => {
      sent++
      if (sent === 1) await during?.()
      const isValid = sent === 1 || sent === 6
      const statusCode = isValid && accepts ? 200 : 401
      return { kind: 'answered', statusCode, retryAfter: undefined, responseStart: '' }
    },
  })
}

test('a check proves the address that it has checked', async () => {
  const merchantId = await merchantAt(OLD)
  expect(await isProved(merchantId)).toBe(false)
  expect(await verify(merchantId)).toMatchObject({ accepted: true, url: OLD })
  expect(await isProved(merchantId)).toBe(true)
  await setCallback(live, merchantId, NEW)
  expect(await isProved(merchantId)).toBe(false)
})

test('a check of the old address that ends later does not prove the new one', async () => {
  const merchantId = await merchantAt(OLD)
  const checked = await verify(merchantId, { during: () => setCallback(live, merchantId, NEW) })
  expect(checked).toMatchObject({ accepted: true, url: OLD })
  expect(await isProved(merchantId)).toBe(false)
  await setCallback(live, merchantId, OLD)
  expect(await isProved(merchantId)).toBe(false)
})

test('a check of the old address that fails later leaves the new one proved', async () => {
  const merchantId = await merchantAt(OLD)
  const during = async () => {
    await setCallback(live, merchantId, NEW)
    await verify(merchantId)
  }
  expect(await verify(merchantId, { during, accepts: false })).toMatchObject({ accepted: false, url: OLD })
  expect(await isProved(merchantId)).toBe(true)
})
