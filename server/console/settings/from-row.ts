/** The console's form of a row of the table of acts. Its texts stand in the catalogues `acts`, by the name of the act. */
import { driverNames } from '../../accounts/described.ts'
import {
  type AnyRow,
  CHOSEN_MAX,
  type Choice,
  formOf,
  nounOf,
  type Place,
  type Result,
} from '../../acts/act.ts'
import { doAct, oneActOf, rehearseAct } from '../../acts/do.ts'
import type { Field as Member } from '../../acts/input.ts'
import { shortNumber } from '../../id.ts'
import { type FactLine, factLines } from '../../pages/approvals/facts.ts'
import { html } from '../../pages/html.ts'
import { formatMoment } from '../../pages/words/locale.ts'
import type { FormAct, Outcome, Scene, Seen } from '../acts/act.ts'
import type { Field } from '../acts/fields.ts'
import { factList, momentText } from '../parts.ts'
import { type ConsoleKey, translate, translateAny } from '../words/translate.ts'
import { driverFields, settingIn } from './driver-fields.ts'
import { LOOKS } from './looks.ts'
import {
  expectLabels,
  findText,
  isHiddenField,
  keyOf,
  labelOf,
  membersOf,
  type Named,
  noLimitOf,
  tickOf,
} from './row-texts.ts'
import { inputOf, misfitOf, problemOf } from './row-values.ts'

/** The heading of the settings under which the acts on a noun stand. */
const GROUPS: Record<Place, Record<string, ConsoleKey>> = {
  shop: {
    merchant: 'setShop',
    token: 'setTokens',
    callback: 'setEvents',
    origin: 'setSites',
    installation: 'setKeys',
    account: 'setAccounts',
  },
  deployment: {
    clock: 'setClock',
    merchant: 'setShops',
    token: 'setShops',
    'saved-method': 'setBuyers',
    customer: 'setBuyers',
    restore: 'setRestore',
    mail: 'setMails',
    approval: 'setLimits',
  },
  account: { account: 'setAccount' },
}

/** The driver that the account has, or that the person has chosen; undefined if the act is about no settings. */
function driverOf(row: AnyRow, present: object, { form, query }: Scene['visit']) {
  if (!membersOf(row).some(({ field }) => field.kind === 'settings')) return undefined
  return row.driverOf?.(present) ?? { driver: form.driver ?? query.driver ?? '', settings: undefined }
}

/** Before a driver is chosen nothing else is asked, because what is asked depends on it. */
function formFields(row: AnyRow, seen: Seen): Field[] {
  const { present, visit } = seen
  const members = membersOf(row)
  const chosen = driverOf(row, present, visit)
  const isChosen = !chosen || driverNames().includes(chosen.driver)
  const visible = isChosen ? members : members.filter(({ member }) => member === 'driver')
  const presets = row.presets?.(present, visit.query) ?? {}
  return visible
    .flatMap((each) => fieldsOf(each, seen))
    .map((each) => ({
      ...each,
      ...(presets[each.name] !== undefined && { value: presets[each.name] ?? '' }),
    }))
}

function fieldsOf({ row, member, field }: Named, scene: Seen): Field[] {
  const { present } = scene
  if (isHiddenField(field)) return []
  if (field.kind === 'settings') {
    const { driver = '', settings } = driverOf(row, present, scene.visit) ?? {}
    return driverFields(scene.visit.locale, driver, { present: settings, isNew: settings === undefined })
  }
  const hint = findText(row, `${member}.hint`)
  const named = { name: member, label: labelOf(row, member), ...(hint && { hint }) }
  const isAllowed = (value: unknown) => row.allowed?.(scene.visit.user, { [member]: value }) ?? true
  switch (field.kind) {
    case 'choice':
      return [{ ...named, ...offered(row.choices?.[member]?.(present) ?? [], scene) }]
    case 'one of':
      return [{ ...named, ...oneOf(field, scene) }]
    case 'text':
    case 'url':
    case 'words': {
      const kind = field.kind === 'url' ? 'url' : 'text'
      return [{ ...named, kind, max: field.max, isOptional: field.isOptional }]
    }
    case 'lines':
      return [{ ...named, kind: 'long', max: field.max, isOptional: true }]
    case 'tick':
      return [{ ...named, kind: 'tick' }]
    case 'several of':
      return field.values
        .filter((value) => isAllowed([value]))
        .map((value) => ({
          name: tickOf(member, value),
          label: { as: value },
          kind: 'tick',
          value: 'yes',
        }))
    case 'limits':
      if (!isAllowed({})) return []
      return [
        { ...named, kind: 'long', isOptional: true },
        { name: noLimitOf(member), label: labelOf(row, `${member}.none`), kind: 'tick' },
      ]
    case 'secret':
      return [{ ...named, kind: 'secret' }]
    case 'amount':
      return [
        { ...named, kind: 'amount', isOptional: field.isOptional },
        ...(field.none
          ? [{ name: noLimitOf(member), label: labelOf(row, `${member}.none`), kind: 'tick' as const }]
          : []),
      ]
    case 'amounts':
    case 'count':
    case 'day':
    case 'file':
    case 'payment':
    case 'past':
    case 'version':
      throw new Error(`Bug! No form asks for the ${field.kind} of ${row.name}.`)
  }
}

/** With more choices than a list shows, the id is typed. */
function offered(choices: readonly Choice[], scene: Scene): Pick<Field, 'kind' | 'options'> {
  if (choices.length > CHOSEN_MAX) return { kind: 'text' }
  const textOf = ({ id, text, at }: Choice) =>
    at ? `${text ?? shortNumber(id)} · ${dayOf(at, scene)}` : (text ?? id)
  return { kind: 'choice', options: choices.map((each) => [each.id, textOf(each)]) }
}

function oneOf(
  { values, words, preset, isNeeded }: Extract<Member, { kind: 'one of' }>,
  { visit: { locale } }: Scene,
): Pick<Field, 'kind' | 'options' | 'isOptional' | 'value'> {
  const textOf = (value: string) =>
    words ? translateAny(locale, keyOf(`approvals.values.${words}_${value}`)) : value
  const options = values.map((value) => [value, textOf(value)] as const)
  return {
    kind: 'choice',
    options,
    ...(preset === undefined ? { isOptional: !isNeeded } : { value: preset }),
  }
}

const dayOf = (at: Date, { visit: { locale }, timeZone }: Scene) =>
  formatMoment(at.toISOString(), locale, { year: true, timeZone }) ?? ''

/** Returns nothing for an act that the page of a thing asks for. */
export function settingsOf(row: AnyRow): FormAct[] {
  const { place } = row
  if (place === undefined) return []
  const form = formOf(row)
  const group = GROUPS[place][nounOf(row)]
  if (!group) throw new Error(`Bug! Say in GROUPS of from-row.ts where the acts on a ${nounOf(row)} stand.`)
  expectLabels(row)
  const [title, lead] = [keyOf(`acts.${form}`), keyOf(`acts.${form}.lead`)]
  const setting: FormAct = {
    name: form,
    title,
    lead,
    needs: row.formNeeds ?? row.name,
    what: row.name,
    place,
    group,
    isRecordedBefore: row.recordedBefore === true,
    present: async ({ ctx, about }) => (await row.current?.(ctx, about)) ?? {},
    whyNot: ({ present }) => row.notNow?.(present) ?? null,
    texts: ({ visit: { locale } }) => ({
      title: translateAny(locale, title),
      lead: translateAny(locale, lead),
      button: translate(locale, 'setLook'),
    }),
    fields: (seen) => formFields(row, seen),
    check(given, { present, about }) {
      const problems = membersOf(row)
        .map((each) => problemOf(each, given, present))
        .filter((one) => one !== null)
      const misfit = problems.length === 0 ? misfitOf(row, given, about) : null
      return Object.fromEntries(misfit ? [misfit] : problems)
    },
    blames: (message) => settingIn(message) ?? row.blames,
    factorOf: (given, scene) => oneActOf(scene.ctx, row, inputOf(row, given, scene)),
    async rehearse(ctx, given, scene) {
      const { user, locale } = scene.visit
      const values = inputOf(row, given, scene)
      const { shown } = await rehearseAct(ctx, user, row, values)
      const name = translateAny(locale, title)
      const notes = html`<p><bdi>${scene.name}</bdi></p>
        ${factList(factLines(locale, shown).map((line) => [line.label, bothSides(line)] as const))}`
      return { title: name, lead: translateAny(locale, lead), notes, button: name }
    },
    async run(ctx, given, scene, person) {
      const outcome = await doAct(ctx, person, row, inputOf(row, given, scene))
      return 'proposed' in outcome ? 'proposed' : outcomeOf(row, outcome.result, scene)
    },
  }
  return [setting]
}

const bothSides = ({ before, text }: FactLine) =>
  before === null ? text : `${before || '–'} → ${text || '–'}`

function outcomeOf(row: AnyRow, { facts, shownOnce, textValues, problem }: Result, scene: Scene): Outcome {
  const values = Object.fromEntries(
    Object.entries({ ...facts, ...textValues }).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, textOf(value, scene)] as const],
    ),
  )
  const factLines = (row.tells ?? []).map((name) => [labelOf(row, name), values[name] ?? null] as const)
  if (shownOnce) {
    const secrets = Object.entries(shownOnce).map(([name, text]) => [labelOf(row, name), text] as const)
    return { secrets: [...factLines, ...secrets] }
  }
  const lines = [...factLines, ...(LOOKS[row.name]?.(facts, scene.visit.locale) ?? [])]
  const message = `acts.${formOf(row)}.done`
  return lines.length > 0 ? { message: keyOf(message), values, lines, isBad: problem !== undefined } : 'done'
}

const textOf = (value: unknown, { visit: { locale }, timeZone }: Scene): string =>
  value instanceof Date ? (momentText(value, locale, timeZone) ?? '') : String(value)
