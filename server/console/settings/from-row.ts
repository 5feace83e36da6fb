/** The console's form of a row of the table of acts. Its texts stand in the catalogues `acts`, by the name of the act. */
import { type AnyRow, formOf, nounOf, type Place, type Result } from '../../acts/act.ts'
import { doAct, rehearseAct } from '../../acts/do.ts'
import { fieldOf, type Field as Member, type Schema } from '../../acts/input.ts'
import { findMessage, type MessageKey } from '../../messages/say.ts'
import { factLines } from '../../pages/approvals/facts.ts'
import { formatMoment } from '../../pages/words/locale.ts'
import { readLimits } from '../typed-limits.ts'
import { type ConsoleKey, sayAny, type TextKey } from '../words/say.ts'
import type { ChangeLine, Outcome, Scene, SettingAct } from './act.ts'
import type { Field, FieldValues } from './fields.ts'

/** The heading of the settings under which the acts on a noun stand. */
const GROUPS: Record<Place, Record<string, ConsoleKey>> = {
  shop: {
    merchant: 'setShop',
    token: 'setTokens',
    callback: 'setEvents',
    origin: 'setSites',
    installation: 'setKeys',
  },
  deployment: { merchant: 'setShops', token: 'setShops', 'saved-method': 'setBuyers' },
  account: { account: 'setAccount' },
}

const isMessage = (key: string): key is MessageKey => findMessage('en', key) !== undefined

/** @throws Error for a row without a text, as soon as the program starts */
function keyOf(key: string): MessageKey {
  if (isMessage(key)) return key
  throw new Error(`Bug! Add "${key.replace(/^acts\./, '')}" to acts.json in each folder of server/messages.`)
}

/** A text of the form itself, or that of all acts on the noun. */
function findText(row: AnyRow, name: string): MessageKey | undefined {
  const keys = [`acts.${formOf(row)}.${name}`, `acts.${nounOf(row)}.${name}`]
  return keys.find(isMessage)
}
const labelOf = (row: AnyRow, name: string): MessageKey =>
  findText(row, name) ?? keyOf(`acts.${nounOf(row)}.${name}`)

/** The tick beside limits: there is none. */
export const noLimitOf = (member: string) => `${member}_none`
export const tickOf = (member: string, value: string) => `${member}_${value.replaceAll('.', '_')}`

type HiddenKind = 'shop' | 'account' | 'seen'
/** The address of the page names it, or what the person has seen. */
const isHiddenField = (field: Member): field is Extract<Member, { kind: HiddenKind }> =>
  ['shop', 'account', 'seen'].includes(field.kind)

type Named = { row: AnyRow; member: string; field: Member }

/** @throws Error as soon as the program starts. A test holds that every language has the keys of the English catalogue. */
function expectLabels(row: AnyRow): void {
  for (const { member, field } of membersOf(row)) {
    if (!isHiddenField(field)) labelOf(row, member)
    if (field.kind === 'limits') labelOf(row, `${member}.none`)
  }
  for (const name of row.tells ?? []) labelOf(row, name)
}

const membersOf = (row: AnyRow): (Named & { schema: Schema })[] =>
  Object.entries(row.input).map(([member, schema]) => ({ row, member, schema, field: fieldOf(schema) }))

function fieldsOf({ row, member, field }: Named, present: object, scene: Scene): Field[] {
  if (isHiddenField(field)) return []
  const hint = findText(row, `${member}.hint`)
  const named = { name: member, label: labelOf(row, member), ...(hint && { hint }) }
  const isAllowed = (value: unknown) => row.allowed?.(scene.visit.user, { [member]: value }) ?? true
  switch (field.kind) {
    case 'choice': {
      const options = row.choices?.[member]?.(present) ?? []
      return [
        {
          ...named,
          kind: 'choice',
          options: options.map(({ id, text = id, at }) => [id, at ? `${text} · ${dayOf(at, scene)}` : text]),
        },
      ]
    }
    case 'one of': {
      const { words, preset } = field
      const textOf = (value: string) =>
        words ? sayAny(scene.visit.locale, keyOf(`approvals.values.${words}_${value}`)) : value
      const options = field.values.map((value) => [value, textOf(value)] as const)
      const chosen = preset === undefined ? { isOptional: true } : { value: preset }
      return [{ ...named, kind: 'choice', options, ...chosen }]
    }
    case 'text':
    case 'url':
      return [{ ...named, kind: field.kind, max: field.max, isOptional: field.isOptional }]
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
    case 'payment':
    case 'version':
      throw new Error(`Bug! No form asks for the ${field.kind} of ${row.name}.`)
  }
}

const dayOf = (at: Date, { visit: { locale }, timeZone }: Scene) =>
  formatMoment(at.toISOString(), locale, { year: true, timeZone }) ?? ''

/** Returns the value of a member; undefined if the person has said nothing, or nothing that can be read. */
function givenOf({ member, field }: Named, given: FieldValues, about: string): unknown {
  switch (field.kind) {
    case 'shop':
    case 'account':
      return about
    case 'seen':
      return undefined
    case 'several of':
      return field.values.filter((value) => given[tickOf(member, value)] === 'yes')
    case 'lines':
      return (given[member] ?? '').split('\n').flatMap((line) => line.trim() || [])
    case 'tick':
      return given[member] === 'yes'
    case 'limits':
      return given[noLimitOf(member)] === 'yes' ? null : (readLimits(given[member] ?? '') ?? undefined)
    default:
      return given[member] || undefined
  }
}

function inputOf(row: AnyRow, given: FieldValues, { about }: Pick<Scene, 'about'>): object {
  const values = membersOf(row).map((each) => [each.member, givenOf(each, given, about)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** What is wrong with a member, as the field at which it stands and the text. */
function problemOf(named: Named & { schema: Schema }, given: FieldValues): readonly [string, TextKey] | null {
  const { row, member, field, schema } = named
  if (isHiddenField(field) || field.kind === 'choice') return null
  if (field.kind === 'limits') {
    const typed = given[member] ?? ''
    const isEither = typed === '' || given[noLimitOf(member)] !== 'yes'
    return isEither && readLimits(typed) !== undefined ? null : [member, 'userLimitsWrong']
  }
  const hint = findText(row, `${member}.hint`) ?? 'setChoice'
  const value = givenOf(named, given, '')
  if (field.kind === 'several of')
    return Array.isArray(value) && value.length > 0 ? null : [tickOf(member, field.values[0] ?? ''), hint]
  return value === undefined || schema.safeParse(value).success ? null : [member, hint]
}

/** What does not fit the other fields, once each of them fits by itself. */
function misfitOf(row: AnyRow, given: FieldValues, about: string): readonly [string, TextKey] | null {
  const member = row.wrong?.(inputOf(row, given, { about }))
  return member ? [member, labelOf(row, `${member}.wrong`)] : null
}

/** Returns nothing for an act that the page of a thing asks for. */
export function settingsOf(row: AnyRow): SettingAct[] {
  const { place } = row
  if (place === null) return []
  const form = formOf(row)
  const group = GROUPS[place][nounOf(row)]
  if (!group) throw new Error(`Bug! Say in GROUPS of from-row.ts where the acts on a ${nounOf(row)} stand.`)
  expectLabels(row)
  const setting: SettingAct = {
    name: form,
    title: keyOf(`acts.${form}`),
    lead: keyOf(`acts.${form}.lead`),
    needs: row.formNeeds ?? row.name,
    what: row.name,
    place,
    group,
    present: ({ ctx, about }) => row.current(ctx, about),
    whyNot: (present) => row.notNow?.(present) ?? null,
    fields: (present, scene) => membersOf(row).flatMap((each) => fieldsOf(each, present, scene)),
    check(given, _present, { about }) {
      const problems = membersOf(row).flatMap((each) =>
        [problemOf(each, given)].filter((one) => one !== null),
      )
      const misfit = problems.length === 0 ? misfitOf(row, given, about) : null
      return Object.fromEntries(misfit ? [misfit] : problems)
    },
    ...(row.blames && { blames: row.blames }),
    changes: () => [],
    guarded: (given, scene) => ({ name: row.name, args: inputOf(row, given, scene) }),
    async rehearse(ctx, given, scene) {
      const { user, locale } = scene.visit
      const values = inputOf(row, given, scene)
      const { shown } = await rehearseAct(ctx, user, row, values)
      return factLines(locale, shown).map(
        ({ label, text, before }): ChangeLine => [{ as: label }, before ?? undefined, text],
      )
    },
    async run(ctx, given, scene, person) {
      const outcome = await doAct(ctx, person, row, inputOf(row, given, scene))
      return 'proposed' in outcome ? 'proposed' : outcomeOf(row, outcome.result)
    },
  }
  return [setting]
}

function outcomeOf(row: AnyRow, { facts, shownOnce, said }: Result): Outcome {
  const values = Object.fromEntries(
    Object.entries({ ...facts, ...said }).map(([name, value]) => [name, String(value)] as const),
  )
  const factLines = (row.tells ?? []).map((name) => [labelOf(row, name), values[name] ?? null] as const)
  if (shownOnce) {
    const secrets = Object.entries(shownOnce).map(([name, text]) => [labelOf(row, name), text] as const)
    return { secrets: [...factLines, ...secrets] }
  }
  return factLines.length > 0
    ? { message: keyOf(`acts.${formOf(row)}.done`), values, lines: factLines }
    : 'done'
}
