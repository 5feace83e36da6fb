/** Where a limit is set, no person alone leads the payments of a shop to the account of the deployment. */
import { beforeEach, expect, test } from 'vitest'
import { getAccountView } from '../../accounts/manage.ts'
import { setAccount } from '../../accounts/set.ts'
import { addOperator } from '../../audit/people.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { argv } from '../../testing/command-line.ts'
import { hiddenIn } from '../../testing/console.ts'
import { openShop } from '../../testing/harness.ts'
import { operateJson } from '../../testing/operator.ts'
import { openConsole } from '../../testing/scene/console.ts'

let accountId: string
let count = 0
const { kassa, signInWithPasskey } = await openConsole()
const root = await signInWithPasskey('administrator')
const key = (await addOperator(kassa.ctx, { name: 'Ani', role: 'operator' })).key ?? ''
await storeLimit(kassa.ctx.db, 'USD', 100)
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
