/** A callback that waits for a second person replaces only the address that its proposer saw. */
import { expect, test } from 'vitest'
import { addOperator } from '../../audit/people.ts'
import { doOrPropose } from '../../operator/approvals/approvals.ts'
import { listApprovals } from '../../operator/approvals/listing.ts'
import { setCallback } from '../../receivers/receiver.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { findReceiver } from '../../storage/events/receivers.ts'
import { listNewestMerchants } from '../../storage/merchants/merchants.ts'
import { forgetProofs, hiddenIn, openAs, withPasskey } from '../../testing/console.ts'
import { openShop } from '../../testing/harness.ts'
import { openConsole } from '../../testing/scene/console.ts'
import { grantAs } from '../../testing/second-person.ts'

const WISH = 'https://shop.example/wish'
const NEWER = 'https://shop.example/newer'

let people = 0
const { kassa, desk } = await openConsole()
const ani = (await addOperator(kassa.ctx, { name: 'Ani', role: 'administrator' })).operator
const davit = (await addOperator(kassa.ctx, { name: 'Davit', role: 'operator' })).operator
await storeLimit(kassa.ctx.db, 'USD', 100)

const openOperator = () =>
  openAs(kassa.ctx, desk, {
    name: `Op ${++people}`,
    role: 'operator',
    email: `op${people}@pay.example`,
  })

async function proposeInConsole(merchantId: string): Promise<void> {
  const browser = await withPasskey(kassa.ctx, desk, await openOperator())
  const path = `/sandbox/shops/${merchantId}/settings/callback-set`
  const sure = await browser.post(path, { ...hiddenIn((await browser.get(path)).text), url: WISH })
  expect((await browser.post(path, hiddenIn(sure.text))).location).toContain('done=proposed')
}
/** As the command line does it, which has shown no address. */
const proposeBare = (merchantId: string) =>
  doOrPropose(kassa.ctx, ani, 'callback set', { merchantId, url: WISH })

async function grantOf(merchantId: string) {
  const [proposal] = await listApprovals(kassa.ctx, { all: false, merchantId })
  return grantAs(kassa.ctx, davit, proposal?.id ?? '')
}
const urlOf = async (merchantId: string) => (await findReceiver(kassa.ctx.db, merchantId))?.url

test.each([
  ['console', proposeInConsole],
  ['command line', proposeBare],
])('what the %s has proposed replaces the address of then, and no newer one', async (_face, propose) => {
  const { merchantId } = await openShop(kassa.ctx)
  await propose(merchantId)
  await grantOf(merchantId)
  expect(await urlOf(merchantId)).toBe(WISH)
  await setCallback(kassa.ctx, merchantId, 'https://shop.example/old')
  await propose(merchantId)
  await setCallback(kassa.ctx, merchantId, NEWER)
  await expect(grantOf(merchantId)).rejects.toMatchObject({ details: { reason: 'changed_meanwhile' } })
  expect(await urlOf(merchantId)).toBe(NEWER)
})

test('a shop with a callback is stored once the second factor is shown, and its callback waits', async () => {
  const opened = await openOperator()
  const browser = await withPasskey(kassa.ctx, desk, opened)
  await forgetProofs(kassa.ctx, opened.id)
  const path = '/sandbox/settings/merchant-create'
  const form = { ...hiddenIn((await browser.get(path)).text), name: 'A tea house', callbackUrl: WISH }
  const sure = hiddenIn((await browser.post(path, form)).text)
  const [before] = await listNewestMerchants(kassa.ctx.db, 1)
  expect((await opened.browser.post(path, sure)).status).toBe(422)
  expect(await listNewestMerchants(kassa.ctx.db, 1)).toEqual([before])
  const made = await browser.post(path, sure)
  const [shop] = await listNewestMerchants(kassa.ctx.db, 1)
  expect(made.text).toContain(shop?.id)
  await grantOf(shop?.id ?? '')
  expect(await urlOf(shop?.id ?? '')).toBe(WISH)
})

test('an owner proposes no secret, because it would be shown to its proposer among approvals that owners do not have', async () => {
  const { merchantId } = await openShop(kassa.ctx)
  const owner = { name: 'Owner', role: 'shop', merchantId, email: 'owner@pay.example' } as const
  const browser = await withPasskey(kassa.ctx, desk, await openAs(kassa.ctx, desk, owner))
  const path = `/sandbox/shops/${merchantId}/settings/callback-set`
  const answer = await browser.post(path, { ...hiddenIn((await browser.get(path)).text), url: WISH })
  expect(answer.text).toContain('Ask whoever runs the service')
  expect(await listApprovals(kassa.ctx, { all: false, merchantId })).toEqual([])
  expect(await urlOf(merchantId)).toBeUndefined()
})
