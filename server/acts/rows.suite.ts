/**
 * Tests made from the table of acts. Each example of each row goes through both faces, each role is tried at each row, and no dry run
 * changes anything. A new row has these tests without a line here. `npm test` sends of each kind of request one for each row: it tries the
 * other roles in process, and the console's own tests ask for each page. `npm run test:long` sends them all.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSession } from '../access/sessions.ts'
import { addUser } from '../access/users.ts'
import { USER_ROLES, type UserRole } from '../audit/people.ts'
import { actFor } from '../console/world.ts'
import { grantProposal } from '../operator/approvals/grant.ts'
import { findUser } from '../storage/access/users.ts'
import { readAuditChain } from '../storage/audit/log.ts'
import { inTransaction } from '../storage/db.ts'
import { digestOfAll } from '../testing/acts/digest.ts'
import { pathOf, tooLongOf, typedOf, wordsOf, wrongOf } from '../testing/acts/faces.ts'
import { openScene } from '../testing/acts/scene.ts'
import {
  type Answer,
  addPhone,
  type Desk,
  forgetProofs,
  hiddenIn,
  openBrowser,
  showing,
  startDesk,
  type TestBrowser,
} from '../testing/console.ts'
import { type Kassa, openShop, startKassa } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { type AnyRow, formOf } from './act.ts'
import { doAct, rehearseAct } from './do.ts'
import { POLICY } from './policies.ts'
import { needsSecondPerson } from './policy.ts'
import { ACT_ROWS } from './table.ts'

/** `thief`: the same session without the second factor. */
type Somebody = { id: string; key: string | undefined; browser: TestBrowser; thief: TestBrowser }

/** The names in the JSON of each command. */
const ANSWERS: Record<string, string[]> = JSON.parse(
  readFileSync(new URL('../admin/answers.json', import.meta.url), 'utf8'),
)

let kassa: Kassa
let desk: Desk
let root: Somebody
const people = new Map<UserRole, Somebody>()
let merchantId = ''
/** From which amount on a second person is needed. */
let limitMinor: number | null = null

async function openAll(): Promise<void> {
  kassa = await startKassa({
    settings: {
      RATE_LIMITS: 'page=5000:5000,person=5000:5000',
      // An account of the deployment that not every shop may use.
      ROUTE_E_DRIVER: 'sandbox',
      ROUTE_E_SHARED: 'false',
    },
  })
  const { ctx, clock } = kassa
  // As the service's own clock of the sandbox, which the tests' clock stands for.
  const sandbox = {
    aheadMs: () => clock.offsetMs,
    moveTo(aheadMs: number) {
      clock.offsetMs = Math.max(clock.offsetMs, aheadMs)
    },
  }
  Object.assign(ctx.clock, { sandbox })
  desk = await startDesk(kassa.worlds)
  merchantId = (await openShop(kassa.ctx)).merchantId
  root = await addSomebody('administrator', 'Root')
  for (const role of USER_ROLES) people.set(role, await addSomebody(role, `The ${role}`))
}

async function addSomebody(role: UserRole, name: string): Promise<Somebody> {
  const own = role === 'shop' || role === 'cashier' ? merchantId : null
  const email = `${name.replaceAll(' ', '-').toLowerCase()}@pay.example`
  const { operator, key } = await addUser(kassa.ctx, { name, role, email, merchantId: own })
  const { id } = operator
  const thief = openBrowser(desk)
  const secret = await inTransaction(kassa.ctx.db, (tx) => openSession(tx, id, '127.0.0.1'))
  thief.cookies.set('kassa_console_session', secret)
  const browser = showing(thief, await addPhone(kassa.ctx, desk, id), desk)
  return { id, key: key ?? undefined, browser, thief }
}

const named = (rows: readonly AnyRow[]) => rows.map((row) => [formOf(row), row] as const)
const FORMS = named(ACT_ROWS.filter(({ place }) => place !== undefined))
/** A second form of an act has no command of its own. */
const COMMANDS = named(ACT_ROWS.filter(({ form }) => form === undefined))

const command = (
  row: AnyRow,
  given: object,
  { key, more = [] }: { key?: string | undefined; more?: string[] } = {},
) =>
  operateHere(async () => kassa.ctx, [...wordsOf(row, { ...given }), ...more, '--json'], key ? { key } : {})

const shownAt = async ({ browser }: Somebody, path: string) => hiddenIn((await browser.get(path)).text)

/** The first press, which shows what will happen. */
async function look(row: AnyRow, given: object, path: string, person = root): Promise<Answer> {
  return person.browser.post(path, { ...(await shownAt(person, path)), ...typedOf(row, { ...given }) })
}

const problemsIn = (text: string) =>
  [...text.matchAll(/(?:role="alert"|class="wrong")[^>]*>([^<]*)/g)].map(([, problem]) => problem)

async function press(row: AnyRow, given: object, path: string, person = root): Promise<Answer> {
  const first = await look(row, given, path, person)
  expect([first.status, problemsIn(first.text)]).toEqual([200, []])
  return person.browser.post(path, hiddenIn(first.text))
}

const lastSeq = async () => (await readAuditChain(kassa.ctx.db, 0, 100_000)).at(-1)?.seq ?? 0
/** What the log has of an act, with the same ids and times for two runs of it. */
async function rowsOf(work: () => Promise<unknown>): Promise<object[]> {
  const before = await lastSeq()
  await work()
  const rows = await readAuditChain(kassa.ctx.db, before, 1_000)
  expect(JSON.stringify(rows)).not.toMatch(/ksk_(sandbox|live)_|whsec_/)
  return rows.map(({ what, world, operatorId, about, ...each }) => ({
    what,
    world,
    operatorId,
    // The command names only the ids of its flags.
    about: alike(about)?.replace(/^mer_ID /, ''),
    before: alike(each.before),
    after: alike(each.after),
  }))
}
const alike = (text: string | null) =>
  text
    ?.replaceAll(/\b([a-z]{3})[_-](test[_-])?[0-9a-z]{36}\b/g, '$1_ID')
    .replaceAll(/\b(ksk|kpk)_[\w-]+/g, '$1_KEY')
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+([+-]\d\d(:\d\d)?|Z)?/g, 'TIME') ?? null

/** What an answer says about the act, with the same ids and times for two runs of it. */
function factsIn(stdout: string): object {
  const { dryRun: _, needsSecondPerson: _second, ...facts } = JSON.parse(alike(stdout) ?? '')
  return facts
}

/** Whether a row of the log says that a value took the place of another. When it ends is no such value, and how often it changed. */
function isReplaced(row: object): boolean {
  const { before, after } = row as { before: string | null; after: string | null }
  if (before === null || after === null) return false
  const [old, now] = [JSON.parse(before), JSON.parse(after)] as [object, object]
  return Object.entries(now).some(([name, value]) => {
    const replaced = (old as Record<string, unknown>)[name]
    const isCounted = /^version$|_(at|until)$/.test(name)
    return !isCounted && replaced !== null && JSON.stringify(replaced) !== JSON.stringify(value)
  })
}

/** Whether there is nothing that the act could find changed. */
const seesNothing = async (row: AnyRow, [first]: { accountId?: string }[]): Promise<boolean> =>
  Object.keys((await row.current?.(kassa.ctx, first?.accountId ?? merchantId)) ?? {}).length === 0

const examplesOf = async (row: AnyRow) => {
  const scene = await openScene(kassa, { limitMinor })
  const given = (await row.examples(scene)) as { accountId?: string }[]
  return { given, path: pathOf(row, scene.merchantId, given[0]?.accountId) }
}

/** A dry run says what the act would do, shows no secret, and changes nothing. */
async function tryOut(row: AnyRow, given: object) {
  const before = await digestOfAll(kassa.ctx, { visits: false })
  const { code, stdout } = await command(row, given, { ...root, more: ['--dry-run'] })
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, dryRun: true }])
  expect(stdout).not.toMatch(/ksk_|whsec_|kop_/)
  const person = { id: root.id, name: 'Root', role: 'administrator' } as const
  const { shown } = await rehearseAct(kassa.ctx, person, row, given)
  expect(await digestOfAll(kassa.ctx, { visits: false })).toEqual(before)
  return { stdout, shown }
}

/** Whatever page asks: what the table of policies does not allow is not even tried out. */
async function expectRefused(row: AnyRow, role: UserRole, given: object): Promise<void> {
  if ((POLICY[row.name].roles as readonly UserRole[]).includes(role)) return
  const { id } = people.get(role) as Somebody
  const person = { id, name: `The ${role}`, role }
  for (const run of [rehearseAct, doAct])
    await expect(run(kassa.ctx, person, row, given)).rejects.toThrow(
      `The role ${role} may not do ${row.name}`,
    )
}

/** A page that does the act by its row asks for the second factor where the table of policies says so, and does nothing without it. */
async function expectQuestion(row: AnyRow, given: object): Promise<void> {
  if (POLICY[row.name].guard === 'none' || row.factorFor) return
  const user = await findUser(kassa.ctx.db, root.id)
  if (!user) throw new Error('There is no such person.')
  const prove = () => Promise.reject(new Error('The second factor is asked for.'))
  const visit = {
    user: { ...user, prove },
    address: '127.0.0.1',
    worlds: kassa.worlds,
    params: { world: 'sandbox' },
    isProved: () => false,
  }
  const before = await digestOfAll(kassa.ctx, { visits: false })
  await expect(actFor(visit, row, '', given)).rejects.toThrow('The second factor is asked for.')
  expect(await digestOfAll(kassa.ctx, { visits: false })).toEqual(before)
}

/**
 * `given`: for acts with a dry run. What has none is done, so each role has an example of its own. `isWhole`: whether every role with a key
 * runs the command; else one that may not does.
 */
async function expectRoles(row: AnyRow, given: object, isWhole: boolean): Promise<void> {
  const allowed = POLICY[row.name].roles as readonly UserRole[]
  const refused = USER_ROLES.filter((role) => people.get(role)?.key !== undefined && !allowed.includes(role))
  for (const role of USER_ROLES) {
    await expectRefused(row, role, given)
    const { key } = people.get(role) as Somebody
    // A person of one shop has no key.
    if (key === undefined) {
      expect(['shop', 'cashier']).toContain(role)
      continue
    }
    const isAllowed = allowed.includes(role)
    if (!isWhole && role !== refused[0]) continue
    const own = row.asksOthers && isAllowed ? ((await examplesOf(row)).given[0] ?? {}) : given
    const { code, stdout } = await command(row, own, { key, more: row.asksOthers ? [] : ['--dry-run'] })
    expect([role, code === 0, /needs the role/.test(stdout)], stdout).toEqual([role, isAllowed, !isAllowed])
  }
}

/** `isWhole`: whether each role, each wrong value and each example goes through every face by request. */
export function testRows({ isWhole }: { isWhole: boolean }): void {
  beforeAll(openAll)
  afterAll(async () => {
    await desk.close()
    await kassa.close()
  })

  test.each(FORMS.filter(([, { form }]) => form !== undefined))(
    '%s, a form of its own, leaves a row in the log without its secret',
    async (_, row) => {
      const { given, path } = await examplesOf(row)
      // A form that cannot see what is there is sent twice. The second time it changes nothing, and the row has what the form was about.
      const isBlind = await seesNothing(row, given)
      for (const each of given.flatMap((one) => (isBlind ? [one, one] : [one]))) {
        const rows = await rowsOf(async () => {
          const { status } = await press(row, each, path)
          expect(status).toBeLessThan(400)
        })
        expect(rows).toContainEqual(expect.objectContaining({ what: row.name, operatorId: root.id }))
      }
    },
  )

  describe.each(COMMANDS)('%s', (_, row) => {
    test('does by command what it says, within its limits, for its roles, and the same by form', async () => {
      const { given } = await examplesOf(row)
      const [first = {}] = given
      for (const { typed, flag } of isWhole ? tooLongOf(row) : tooLongOf(row).slice(0, 1)) {
        const { code, stdout } = await command(row, { ...first, ...typed }, root)
        expect([code, stdout]).toEqual([1, expect.stringContaining(`${flag} must have at most`)])
      }
      await expectRoles(row, first, isWhole)
      if (row.place === undefined) await expectQuestion(row, first)
      const ofCommand: object[][] = []
      const names = new Set<string>()
      for (const each of given) {
        // What asks somebody else first cannot be tried out.
        const tried = row.asksOthers ? null : await tryOut(row, each)
        let stdout = ''
        const rows = await rowsOf(async () => {
          const done = await command(row, each, root)
          stdout = done.stdout
          expect([done.code, JSON.parse(stdout)]).toMatchObject([0, { ok: true }])
        })
        const own = expect.objectContaining({ what: row.name, operatorId: root.id })
        if (!row.reads) expect(rows).toContainEqual(own)
        for (const name of Object.keys(JSON.parse(stdout))) names.add(name)
        if (tried) {
          expect(factsIn(stdout)).toMatchObject(factsIn(tried.stdout))
          // What is replaced stands beside what replaces it.
          if (rows.some(isReplaced)) expect(tried.shown.some(({ before }) => before !== undefined)).toBe(true)
        }
        ofCommand.push(rows)
      }
      // Programs of operators read these names, so none of them may go.
      expect([...names].sort()).toEqual(ANSWERS[row.name])
      if (row.place === undefined) return
      const other = await examplesOf(row)
      for (const [at, each] of other.given.entries()) {
        const ofForm = await rowsOf(async () => {
          const { status } = await press(row, each, other.path)
          expect(status).toBeLessThan(400)
        })
        expect(ofForm).toEqual(ofCommand[at])
      }
    })
  })

  describe.each(FORMS)('the form %s', (_, row) => {
    test('shows what will happen, is refused at the field that is wrong, and is done once for whoever may', async () => {
      const { given, path } = await examplesOf(row)
      const [first = {}] = given
      const asks = POLICY[row.name].guard !== 'none'
      // The press that would do it is the one that must not.
      const presses = isWhole ? [{}, { confirm: 'yes' }] : [{ confirm: 'yes' }]
      const typed = { ...(await shownAt(root, path)), ...typedOf(row, { ...first }) }
      const before = await digestOfAll(kassa.ctx, { visits: true })
      const looked = await rowsOf(async () => {
        for (const each of isWhole ? given : given.slice(0, 1)) {
          const { status, text } = await look(row, each, path)
          expect([status, hiddenIn(text).confirm]).toEqual([200, 'yes'])
        }
        for (const { typed: wrong, at } of wrongOf(row))
          for (const more of presses) {
            const { status, text } = await root.browser.post(path, { ...typed, ...wrong, ...more })
            expect([at, status, text.includes(`id="wrong-${at}"`)]).toEqual([at, 422, true])
          }
        for (const more of presses) {
          const { status } = await root.browser.post(path, { ...typed, ...more, seen: 'other' })
          expect(status).toBe(422)
        }
      })
      expect(looked).toEqual([])
      const sure = hiddenIn((await look(row, first, path)).text)
      const back = await root.browser.post(path, { ...sure, back: 'yes' })
      expect([back.status, hiddenIn(back.text).confirm]).toEqual([200, undefined])
      await forgetProofs(kassa.ctx, root.id)
      if (asks) expect((await root.thief.post(path, sure)).status).toBe(422)
      // The log has the wrong code of the thief.
      const { 'kassa_audit.log': _, ...after } = await digestOfAll(kassa.ctx, { visits: true })
      expect(before).toMatchObject(after)
      // Where the table of policies asks for no second factor, the session is enough.
      const browser = asks ? root.browser : root.thief
      const isBlind = await seesNothing(row, given)
      const once = await rowsOf(async () => {
        const both = await Promise.all([browser.post(path, sure), browser.post(path, sure)])
        const done = both.filter(({ status }) => status < 400)
        if (!isBlind) expect(done).toHaveLength(1)
        else expect(done.length).toBeGreaterThan(0)
      })
      expect(once.length > 0).toBe(row.reads !== true)
      // A form that cannot see what is there is sent once more, and its act changes nothing.
      const again = await rowsOf(() => browser.post(path, sure))
      expect(again).toEqual(again.map((each) => ({ ...each, before: null, after: null })))
      if (!isBlind) expect(again).toEqual([])
    })

    // `npm test` asks for each page of the console in its own tests.
    test.each(isWhole ? USER_ROLES : [])('is for those roles that may: %s', async (role) => {
      const { browser } = people.get(role) as Somebody
      const path = pathOf(row, merchantId)
      const isAllowed = (POLICY[row.formNeeds ?? row.name].roles as readonly UserRole[]).includes(role)
      const answers = [await browser.get(path), await browser.post(path, { confirm: 'yes' })]
      expect(answers.map(({ status }) => status === 403)).toEqual([!isAllowed, !isAllowed])
    })
  })

  // Last, because a limit counts for everything that comes after it.
  describe('while a limit is set', () => {
    beforeAll(() => {
      limitMinor = 100
    })

    // The others are never weighed.
    test.each(COMMANDS.filter(([, { name }]) => needsSecondPerson(name)))(
      '%s needs a second person by either face, where the table of policies says so',
      async (_, row) => {
        const proposed: string[] = []
        let count = 1
        for (let at = 0; at < count; at++) {
          const { given } = await examplesOf(row)
          count = given.length
          const dry =
            !row.asksOthers &&
            JSON.parse((await command(row, given[at] ?? {}, { ...root, more: ['--dry-run'] })).stdout)
          const answer = JSON.parse((await command(row, given[at] ?? {}, root)).stdout)
          const isProposed = answer.proposed === true
          if (dry) expect([dry.ok, dry.needsSecondPerson ?? false]).toEqual([true, isProposed])
          if (isProposed) proposed.push(answer.approval.approvalId)
          if (row.place === undefined || (!isWhole && at > 0)) continue
          const two = await examplesOf(row)
          const { status, location } = await press(row, two.given[at] ?? {}, two.path)
          expect([status, location?.endsWith('?done=proposed') ?? false]).toEqual([
            isProposed ? 303 : status,
            isProposed,
          ])
        }
        expect(proposed.length).toBeGreaterThan(0)
        const other = people.get('operator') as Somebody
        const act = {
          id: 'act_1',
          who: 'The operator',
          operator: other.id,
          from: 'test',
          what: 'approval grant',
        }
        const person = { id: other.id, name: 'The operator', role: 'operator' as const }
        for (const id of proposed)
          expect(await grantProposal(kassa.ctx, { person, act }, id)).toMatchObject({ what: row.name })
      },
    )
  })
}
