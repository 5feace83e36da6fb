/**
 * The one pair of pages for every setting. The first press shows both sides of what will change, and the second one changes it. What
 * the person saw goes with the form, so nobody overwrites what somebody else has changed meanwhile.
 */
import { oneAtATime } from '../../access/one-at-a-time.ts'
import type { OneAct } from '../../audit/people.ts'
import { expectSeen } from '../../merchants/version.ts'
import { factorFormOf } from '../again.ts'
import { goesBack } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Shown } from '../page.ts'
import { translateAny } from '../words/translate.ts'
import { worldOf } from '../world.ts'
import type { Given, Scene, SettingAct } from './act.ts'
import { type Field, readFields } from './fields.ts'
import { openKept } from './kept.ts'
import { refusedOf } from './refused.ts'
import { acting, BASES, noted, sceneOf } from './scene.ts'
import { formScreen, outcomeScreen, sureScreen } from './screens.ts'

export function settingPages(act: SettingAct): ConsolePage[] {
  const page = { path: `${BASES[act.place]}/${act.name}`, needs: act.needs }
  return [
    {
      ...page,
      method: 'get' as const,
      async handle(visit: OwnVisit) {
        const scene = await sceneOf(act.place, visit)
        return formScreen(act, scene, await act.present(scene))
      },
    },
    { ...page, method: 'post' as const, handle: (visit: OwnVisit) => answer(act, visit) },
  ]
}

async function answer(act: SettingAct, visit: OwnVisit): Promise<Shown> {
  const { locale, form } = visit
  const scene = await sceneOf(act.place, visit)
  const present = await act.present(scene)
  const whyNot = act.whyNot(present)
  if (whyNot) return formScreen(act, scene, present, { problem: translateAny(locale, whyNot) })
  if (goesBack(visit)) return formScreen(act, scene, present)
  const isSure = form.confirm === 'yes'
  const fields = act.fields(present, scene)
  const { given, problems } = readFields(
    locale,
    fields,
    form,
    isSure ? openKept(scene, act, form.kept) : null,
  )
  for (const [name, key] of Object.entries(act.check(given, present, scene)))
    if (key) problems[name] ??= translateAny(locale, key)
  try {
    expectSeen(present, form.seen ?? '')
    if (!isSure && isNew(fields, form)) return formScreen(act, scene, present)
    if (Object.keys(problems).length > 0) return formScreen(act, scene, present, { problems })
    return await (isSure ? carryOut(act, scene, given) : rehearseAct(act, scene, { present, fields, given }))
  } catch (error) {
    const { problem, detail, field } = refusedOf(locale, act, error)
    const now = await act.present(scene)
    if (field === undefined) return formScreen(act, scene, now, { problem, detail })
    return formScreen(act, scene, now, { problems: { [field]: problem }, detail })
  }
}

/** A choice has brought fields that the person has not seen yet. */
const isNew = (fields: readonly Field[], form: Record<string, string>) =>
  fields.some(({ name, kind, isOptional }) => kind !== 'tick' && !isOptional && form[name] === undefined)

type Tried = { present: object; fields: readonly Field[]; given: Given }

async function rehearseAct(act: SettingAct, scene: Scene, { present, fields, given }: Tried): Promise<Shown> {
  const lines = await act.rehearse(acting({ ...scene, present }, act, given), given, scene)
  const one = await act.factorOf(given, scene)
  const factorForm = await factorFormOf(scene.visit, one)
  return sureScreen(act, scene, { present, fields, given, lines, factorForm })
}

async function carryOut(act: SettingAct, scene: Scene, given: Given): Promise<Shown> {
  const { visit, about, path } = scene
  const { user, form } = visit
  const one = await act.factorOf(given, scene)
  if (one) await expectFactor(act, scene, given, one)
  // Shown for this very act with these values, so the verb need not ask again.
  const person = one ? { ...user, prove: async () => {} } : user
  const outcome = await oneAtATime(worldOf(visit), about, async () => {
    const present = await act.present(scene)
    expectSeen(present, form.seen ?? '')
    const seen = { ...scene, present }
    const ctx = act.isRecordedBefore ? await noted(seen, act, given) : acting(seen, act, given)
    return act.run(ctx, given, scene, person)
  })
  if (typeof outcome === 'object') return outcomeScreen(act, scene, outcome)
  return { kind: 'redirect', to: `${path}?done=${outcome === 'proposed' ? outcome : act.name}` }
}

/** What would be refused anyway asks nobody for a second factor. */
async function expectFactor(act: SettingAct, scene: Scene, given: Given, one: OneAct): Promise<void> {
  if (!scene.visit.isProved(one)) {
    const present = await act.present(scene)
    await act.rehearse(acting({ ...scene, present }, act, given), given, scene)
  }
  await scene.visit.user.prove(one)
}
