/**
 * Settings where a limit is set: a callback that waits replaces only the address that its proposer saw, and no person alone leads payments
 * to the deployment.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { getAccountView } from '../../accounts/manage.ts'
import { setAccount } from '../../accounts/set.ts'
import { addOperator } from '../../audit/people.ts'
import { doOrPropose } from '../../operator/approvals/approvals.ts'
import { listApprovals } from '../../operator/approvals/listing.ts'
import { setCallback } from '../../receivers/receiver.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { findReceiver } from '../../storage/events/receivers.ts'
import { listNewestMerchants } from '../../storage/merchants/merchants.ts'
import { argv } from '../../testing/command-line.ts'
import { forgetProofs, hiddenIn, openAs, withPasskey } from '../../testing/console.ts'
import { openShop } from '../../testing/harness.ts'
import { operateJson } from '../../testing/operator.ts'
import { openConsole } from '../../testing/scene/console.ts'
import { grantAs } from '../../testing/scene/people.ts'

const { kassa, desk, signInWithPasskey } = await openConsole()
await storeLimit(kassa.ctx.db, 'USD', 100)
const root = await signInWithPasskey('administrator')
const ani = (await addOperator(kassa.ctx, { name: 'Ani', role: 'administrator' })).operator
const davit = (await addOperator(kassa.ctx, { name: 'Davit', role: 'operator' })).operator
const key = (await addOperator(kassa.ctx, { name: 'Gor', role: 'operator' })).key ?? ''

/** A callback that waits for a second person replaces only the address that its proposer saw. */
describe('a callback that waits for a second person', () => {
  const WISH = 'https://shop.example/wish'
  const NEWER = 'https://shop.example/newer'

  let people = 0

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
})

/** Where a limit is set, no person alone leads the payments of a shop to the account of the deployment. */
describe('an account that is retired', () => {
  let accountId: string
  let count = 0
  beforeEach(async () => {
    const { merchantId } = await openShop(kassa.ctx)
    const written = { RECIPIENT: 'Shop', ACCOUNT: `1111 2222 3333 ${1_000 + ++count}` }
    const wanted = { merchantId, route: 'manual', driver: 'manual', currencies: undefined, written } as const
    accountId = (await setAccount(kassa.ctx, wanted)).accountId
  })

  async function press(form: Record<string, string>) {
    const at = `/sandbox/accounts/${accountId}/account-retire`
    const { text } = await root.get(at)
    const sure = await root.post(at, { ...hiddenIn(text), ...form })
    return root.post(at, { ...hiddenIn(sure.text), ...form })
  }
  const command = (...flags: string[]) =>
    operateJson(
      { DATABASE_URL: kassa.databaseUrl, KASSA_OPERATOR_KEY: key },
      argv`account retire --account ${accountId} ${flags}`,
    )
  const shown = async () => {
    const { retiredAt, blocks } = await getAccountView(kassa.ctx, accountId)
    return { isRetired: retiredAt !== null, isBlocking: blocks.length > 0 }
  }
  const IN_USE = { isRetired: false, isBlocking: false }
  const BLOCKING = { isRetired: true, isBlocking: true }
  const LEFT = { isRetired: true, isBlocking: false }

  test('in the console it is proposed, and done once somebody else grants it', async () => {
    expect((await press({ inFavourOfDeployment: 'yes' })).location).toContain('done=proposed')
    expect(await shown()).toEqual(IN_USE)
    const { answer } = await operateJson({ DATABASE_URL: kassa.databaseUrl, KASSA_OPERATOR_KEY: key }, [
      'approval',
      'list',
    ])
    const { approvalId: id } = answer.approvals.find(({ about }: { about: string }) =>
      about.startsWith(accountId),
    )
    const run = { DATABASE_URL: kassa.databaseUrl, KASSA_OPERATOR_KEY: key }
    expect((await operateJson(run, ['approval', 'grant', '--approval', id])).code).toBe(0)
    expect(await shown()).toEqual(LEFT)
  })

  test('on the command line it is proposed too, also for an account that is retired already', async () => {
    expect((await command('--in-favour-of-deployment')).answer.proposed).toBe(true)
    expect(await shown()).toEqual(IN_USE)
    await command()
    expect(await shown()).toEqual(BLOCKING)
    expect((await command('--in-favour-of-deployment')).answer.proposed).toBe(true)
    expect(await shown()).toEqual(BLOCKING)
  })

  test('without the deployment one person is enough, because the payments are refused', async () => {
    expect((await press({})).location).toContain('done=account-retire')
    expect(await shown()).toEqual(BLOCKING)
  })
})
