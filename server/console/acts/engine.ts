/**
 * The one pair of pages for every act that has a form of its own: the settings, and what is done with a payment. The first press tries
 * it out and says what will happen, and the second one does it. What the person saw goes with the form, so nobody does it to something
 * else, or overwrites what somebody else has changed meanwhile.
 */
import { oneAtATime } from '../../access/one-at-a-time.ts'
import type { OneAct } from '../../audit/people.ts'
import { expectSeen } from '../../merchants/version.ts'
import { factorFormOf } from '../again.ts'
import { goesBack } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Shown } from '../page.ts'
import { worldOf } from '../world.ts'
import type { FormAct, Given, Seen } from './act.ts'
import { type Field, labelText, readFields } from './fields.ts'
import { openKept } from './kept.ts'
import { refusedOf } from './refused.ts'
import { acting, BASES, noted, sceneOf } from './scene.ts'
import { confirmScreen, formScreen, outcomeScreen, stateOf } from './screens.ts'

export function actPages(act: FormAct): ConsolePage[] {
  const page = { path: `${BASES[act.place]}/${act.name}`, needs: act.needs }
  return [
    {
      ...page,
      method: 'get' as const,
      handle: async (visit: OwnVisit) => formScreen(act, await seenBy(act, visit)),
    },
    { ...page, method: 'post' as const, handle: (visit: OwnVisit) => answer(act, visit) },
  ]
}

async function seenBy(act: FormAct, visit: OwnVisit): Promise<Seen> {
  const scene = await sceneOf(act.place, visit)
  return { ...scene, present: await act.present(scene) }
}

/** @throws AppError validation_failed */
const expectUnchanged = (act: FormAct, { present, visit }: Seen) =>
  expectSeen(stateOf(act, present), visit.form.seen ?? '')

async function answer(act: FormAct, visit: OwnVisit): Promise<Shown> {
  const { locale, form } = visit
  const seen = await seenBy(act, visit)
  const whyNot = act.whyNot(seen)
  if (whyNot) return formScreen(act, seen, { problem: labelText(locale, whyNot) })
  if (goesBack(visit)) return formScreen(act, seen)
  const isSure = form.confirm === 'yes'
  const fields = act.fields(seen)
  const secrets = isSure ? openKept(seen, act, form.kept) : null
  const { given, problems } = readFields(locale, fields, form, secrets)
  for (const [name, label] of Object.entries(act.check(given, seen)))
    if (label) problems[name] ??= labelText(locale, label)
  try {
    expectUnchanged(act, seen)
    if (!isSure && isNew(fields, form)) return formScreen(act, seen)
    if (Object.keys(problems).length > 0) return formScreen(act, seen, { problems })
    return await (isSure ? carryOut(act, seen, given) : rehearseAct(act, seen, { fields, given }))
  } catch (error) {
    const { problem, detail, field } = refusedOf(locale, act, error)
    const now = { ...seen, present: await act.present(seen) }
    if (field === undefined) return formScreen(act, now, { problem, detail })
    return formScreen(act, now, { problems: { [field]: problem }, detail })
  }
}

/** A choice has brought fields that the person has not seen yet. */
const isNew = (fields: readonly Field[], form: Record<string, string>) =>
  fields.some(({ name, kind, isOptional }) => kind !== 'tick' && !isOptional && form[name] === undefined)

type Tried = { fields: readonly Field[]; given: Given }

async function rehearseAct(act: FormAct, seen: Seen, { fields, given }: Tried): Promise<Shown> {
  const texts = await act.rehearse(acting(seen, act, given), given, seen)
  const one = await act.factorOf(given, seen)
  const factorForm = await factorFormOf(seen.visit, one)
  return confirmScreen(act, seen, { fields, given, texts, factorForm })
}

async function carryOut(act: FormAct, seen: Seen, given: Given): Promise<Shown> {
  const { visit, about, path } = seen
  const { user } = visit
  const one = await act.factorOf(given, seen)
  if (one) await expectFactor(act, seen, given, one)
  // Shown for this very act with these values, so the verb need not ask again.
  const person = one ? { ...user, prove: async () => {} } : user
  const run = async (now: Seen) => {
    const ctx = act.isRecordedBefore ? await noted(now, act, given) : acting(now, act, given)
    return act.run(ctx, given, now, person)
  }
  const outcome = act.isKeyed
    ? await run(seen)
    : await oneAtATime(worldOf(visit), about, async () => {
        const now = { ...seen, present: await act.present(seen) }
        expectUnchanged(act, now)
        return run(now)
      })
  if (typeof outcome === 'object') return outcomeScreen(act, seen, outcome)
  return { kind: 'redirect', to: `${path}?done=${outcome === 'proposed' ? outcome : act.name}` }
}

/** What would be refused anyway asks nobody for a second factor. */
async function expectFactor(act: FormAct, seen: Seen, given: Given, one: OneAct): Promise<void> {
  if (!seen.visit.isProved(one)) await act.rehearse(acting(seen, act, given), given, seen)
  await seen.visit.user.prove(one)
}
