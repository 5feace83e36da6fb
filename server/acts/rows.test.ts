/**
 * Tests made from the table of acts. Each example of each row goes through both faces, each role is tried at each row, and no dry run
 * changes anything. A new row has these tests without a line here.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSession } from '../access/sessions.ts'
import { addUser } from '../access/users.ts'
import { USER_ROLES, type UserRole } from '../audit/people.ts'
import { grantProposal } from '../operator/approvals/grant.ts'
import { readAuditChain } from '../storage/audit/log.ts'
import { storeLimit } from '../storage/audit/proposals.ts'
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
import { rehearseAct } from './do.ts'
import { POLICY } from './policies.ts'
import { ACT_ROWS } from './table.ts'

/** `thief`: the same session without the second factor. */
type Somebody = { id: string; key: string | undefined; browser: TestBrowser; thief: TestBrowser }

let kassa: Kassa
let desk: Desk
let root: Somebody
const people = new Map<UserRole, Somebody>()
let merchantId = ''
beforeAll(async () => {
  kassa = await startKassa({ settings: { RATE_LIMITS: 'page=5000:5000,person=5000:5000' } })
  desk = await startDesk(kassa.worlds)
  merchantId = (await openShop(kassa.ctx)).merchantId
  root = await addSomebody('administrator', 'Root')
  for (const role of USER_ROLES) people.set(role, await addSomebody(role, `The ${role}`))
})
afterAll(async () => {
  await desk.close()
  await kassa.close()
})

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
const FORMS = named(ACT_ROWS.filter(({ place }) => place !== null))
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
    ?.replaceAll(/\b([a-z]{3})_(test_)?[0-9a-z]{36}\b/g, '$1_ID')
    .replaceAll(/\b(ksk|kpk)_[\w-]+/g, '$1_KEY')
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+([+-]\d\d(:\d\d)?|Z)?/g, 'TIME') ?? null

/** What an answer says of the act, with the same ids and times for two runs of it. */
function factsIn(stdout: string): object {
  const { dryRun: _, needsSecondPerson: _second, ...facts } = JSON.parse(alike(stdout) ?? '')
  return facts
}

/** Whether a row of the log says that a value took the place of another. When it ends is no such value. */
function isReplaced(row: object): boolean {
  const { before, after } = row as { before: string | null; after: string | null }
  if (before === null || after === null) return false
  const [old, now] = [JSON.parse(before), JSON.parse(after)] as [object, object]
  return Object.entries(now).some(([name, value]) => {
    const replaced = (old as Record<string, unknown>)[name]
    return !/_(at|until)$/.test(name) && replaced !== null && replaced !== value
  })
}

const examplesOf = async (row: AnyRow) => {
  const scene = await openScene(kassa)
  const given = (await row.examples(scene)) as { accountId?: string }[]
  return { given, path: pathOf(row, scene.merchantId, given[0]?.accountId) }
}

test.each(FORMS.filter(([, { form }]) => form !== undefined))(
  '%s, a form of its own, leaves a row in the log without its secret',
  async (_, row) => {
    const { given, path } = await examplesOf(row)
    // The second time it changes nothing, and the row has what the form was about instead of what was changed.
    for (const each of given.flatMap((one) => [one, one])) {
      const rows = await rowsOf(async () => {
        const { status } = await press(row, each, path)
        expect(status).toBeLessThan(400)
      })
      expect(rows).toContainEqual(expect.objectContaining({ what: row.name, operatorId: root.id }))
    }
  },
)

describe.each(COMMANDS)('%s', (_, row) => {
  test('does the same by command and by form', async () => {
    const count = (await examplesOf(row)).given.length
    expect(count).toBeGreaterThan(0)
    for (let at = 0; at < count; at++) {
      const [one, two] = [await examplesOf(row), await examplesOf(row)]
      const ofCommand = await rowsOf(async () => {
        const { code, stdout } = await command(row, one.given[at] ?? {}, root)
        expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true }])
      })
      expect(ofCommand).toContainEqual(expect.objectContaining({ what: row.name, operatorId: root.id }))
      if (row.place === null) continue
      const ofForm = await rowsOf(async () => {
        const { status } = await press(row, two.given[at] ?? {}, two.path)
        expect(status).toBeLessThan(400)
      })
      expect(ofForm).toEqual(ofCommand)
    }
  })

  test('with --dry-run says what it would do, shows no secret, and changes nothing', async () => {
    const { given } = await examplesOf(row)
    // What asks somebody else first has no such flag.
    for (const each of row.asksOthers ? [] : given) {
      const before = await digestOfAll(kassa.ctx, { visits: false })
      const { code, stdout } = await command(row, each, { ...root, more: ['--dry-run'] })
      expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, dryRun: true }])
      expect(stdout).not.toMatch(/ksk_|whsec_/)
      expect(await digestOfAll(kassa.ctx, { visits: false })).toEqual(before)
      const done = await command(row, each, root)
      expect(factsIn(done.stdout)).toMatchObject(factsIn(stdout))
    }
  })

  test('by command has the limits of the form', async () => {
    const { given } = await examplesOf(row)
    for (const { typed, flag } of tooLongOf(row)) {
      const { code, stdout } = await command(row, { ...given[0], ...typed }, root)
      expect([code, stdout]).toEqual([1, expect.stringContaining(`${flag} must have at most`)])
    }
  })

  test('shows what it replaces, wherever it changes what is stored', async () => {
    const { given } = await examplesOf(row)
    for (const each of given) {
      const { id, name } = { id: root.id, name: 'Root' }
      if (row.asksOthers) continue
      const { shown } = await rehearseAct(kassa.ctx, { id, name, role: 'administrator' }, row, each)
      const rows = await rowsOf(() => command(row, each, root))
      if (rows.some(isReplaced)) expect(shown.some(({ before }) => before !== undefined)).toBe(true)
    }
  })

  test('by command is for those roles that may', async () => {
    const [given = {}] = (await examplesOf(row)).given
    for (const role of USER_ROLES) {
      const { key } = people.get(role) as Somebody
      // A person of one shop has no key.
      if (key === undefined) {
        expect(['shop', 'cashier']).toContain(role)
        continue
      }
      // What has no dry run is done, so each role has an example of its own.
      const own = row.asksOthers ? ((await examplesOf(row)).given[0] ?? {}) : given
      const { code, stdout } = await command(row, own, { key, more: row.asksOthers ? [] : ['--dry-run'] })
      const isAllowed = (POLICY[row.name].roles as readonly UserRole[]).includes(role)
      expect([role, code === 0, /needs the role/.test(stdout)]).toEqual([role, isAllowed, !isAllowed])
    }
  })
})

describe.each(FORMS)('the form %s', (_, row) => {
  test('shows what will happen first, and that changes nothing', async () => {
    const { given, path } = await examplesOf(row)
    for (const each of given) {
      const before = await digestOfAll(kassa.ctx, { visits: true })
      const { status, text } = await look(row, each, path)
      expect([status, hiddenIn(text).confirm]).toEqual([200, 'yes'])
      expect(await digestOfAll(kassa.ctx, { visits: true })).toEqual(before)
    }
  })

  test('is refused where a field is wrong, at that field, by either press', async () => {
    const { given, path } = await examplesOf(row)
    const typed = { ...(await shownAt(root, path)), ...typedOf(row, { ...given[0] }) }
    const before = await digestOfAll(kassa.ctx, { visits: true })
    for (const { typed: wrong, at } of wrongOf(row))
      for (const more of [{}, { confirm: 'yes' }]) {
        const { status, text } = await root.browser.post(path, { ...typed, ...wrong, ...more })
        expect([at, status, text.includes(`id="wrong-${at}"`)]).toEqual([at, 422, true])
      }
    expect(await digestOfAll(kassa.ctx, { visits: true })).toEqual(before)
  })

  test('is refused for somebody who saw something else, and done once by two presses at once', async () => {
    const { given, path } = await examplesOf(row)
    const typed = typedOf(row, { ...given[0] })
    for (const more of [{}, { confirm: 'yes' }]) {
      const { status } = await root.browser.post(path, { ...typed, ...more, seen: 'other' })
      expect(status).toBe(422)
    }
    const isBlind = Object.keys(await row.current(kassa.ctx, merchantId)).length === 0
    const sure = hiddenIn((await look(row, given[0] ?? {}, path)).text)
    const once = await rowsOf(async () => {
      const both = await Promise.all([root.browser.post(path, sure), root.browser.post(path, sure)])
      const done = both.filter(({ status }) => status < 400)
      if (!isBlind) expect(done).toHaveLength(1)
      else expect(done.length).toBeGreaterThan(0)
    })
    expect(once.length).toBeGreaterThan(0)
    // A form that cannot see what is there is sent once more, and its act changes nothing.
    const again = await rowsOf(() => root.browser.post(path, sure))
    expect(again).toEqual(again.map((each) => ({ ...each, before: null, after: null })))
    if (!isBlind) expect(again).toEqual([])
  })

  test.each(USER_ROLES)('is for those roles that may: %s', async (role) => {
    const { browser } = people.get(role) as Somebody
    const path = pathOf(row, merchantId)
    const isAllowed = (POLICY[row.formNeeds ?? row.name].roles as readonly UserRole[]).includes(role)
    const answers = [await browser.get(path), await browser.post(path, { confirm: 'yes' })]
    expect(answers.map(({ status }) => status === 403)).toEqual([!isAllowed, !isAllowed])
  })

  test('asks for the second factor if the table of policies says so', async () => {
    const { given, path } = await examplesOf(row)
    const sure = hiddenIn((await look(row, given[0] ?? {}, path)).text)
    await forgetProofs(kassa.ctx, root.id)
    const before = await digestOfAll(kassa.ctx, { visits: true })
    const { status } = await root.thief.post(path, sure)
    const asks = POLICY[row.name].guard !== 'none'
    expect(status === 422).toBe(asks)
    if (asks) expect(await digestOfAll(kassa.ctx, { visits: true })).toEqual(before)
  })
})

// Last, because a limit counts for everything that comes after it.
describe('while a limit is set', () => {
  beforeAll(() => inTransaction(kassa.ctx.db, (tx) => storeLimit(tx, 'USD', 100)))

  test.each(COMMANDS)(
    '%s needs a second person by either face if the table of policies says so',
    async (_, row) => {
      const needs = POLICY[row.name].guard === 'person'
      const proposed: string[] = []
      const count = (await examplesOf(row)).given.length
      for (let at = 0; at < count; at++) {
        const [one, two, three] = [await examplesOf(row), await examplesOf(row), await examplesOf(row)]
        const dry =
          !row.asksOthers &&
          JSON.parse((await command(row, three.given[at] ?? {}, { ...root, more: ['--dry-run'] })).stdout)
        const answer = JSON.parse((await command(row, one.given[at] ?? {}, root)).stdout)
        const isProposed = answer.proposed === true
        if (dry) expect([dry.ok, dry.needsSecondPerson ?? false]).toEqual([true, isProposed])
        if (isProposed) proposed.push(answer.approval.approvalId)
        if (row.place === null) continue
        const { status, location } = await press(row, two.given[at] ?? {}, two.path)
        expect([status, location?.endsWith('?done=proposed') ?? false]).toEqual([
          isProposed ? 303 : status,
          isProposed,
        ])
      }
      expect(proposed.length > 0).toBe(needs)
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
