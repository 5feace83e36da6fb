/** The origins of a shop: those that its calls of the API may carry, and those whose domains were reviewed. */
import {
  addOrigin,
  disapproveOrigin,
  isPage,
  listOrigins,
  type OriginRecord,
  removeOrigin,
} from '../../merchants/origin.ts'
import type { Option } from '../form-parts.ts'
import { say } from '../words/say.ts'
import { type Scene, type SettingAct, setting } from './act.ts'
import type { Field } from './fields.ts'

type Present = { origins: OriginRecord[] }

const present = async ({ ctx, about }: Scene): Promise<Present> => ({
  origins: await listOrigins(ctx, about),
})

const named = (origins: readonly OriginRecord[]): Option[] =>
  origins.map(({ origin }) => [origin, origin] as const)

const chosen = (options: readonly Option[]): Field => ({
  ...{ name: 'origin', label: 'setOrigin', kind: 'choice', options },
})

const add = setting<Present>({
  ...{ name: 'origin_add', needs: 'origin add', place: 'shop', group: 'setSites', present, blames: 'origin' },
  fields: () => [{ name: 'origin', label: 'setOrigin', kind: 'url', hint: 'setOriginHint', max: 300 }],
  changes: ({ origin = '' }, { origins }, { visit: { locale } }) => [
    [
      { as: origin },
      origins.some((each) => each.origin === origin && each.trustedAt) ? say(locale, 'setAllowed') : null,
      say(locale, 'setAllowed'),
    ],
  ],
  async run(ctx, { origin = '' }, { about }) {
    await addOrigin(ctx, about, origin)
    return 'done'
  },
})

const remove = setting<Present>({
  ...{ name: 'origin_remove', needs: 'origin remove', place: 'shop', group: 'setSites', present },
  blames: 'origin',
  whyNot: ({ origins }) => (origins.some(({ trustedAt }) => trustedAt) ? null : 'setOriginsNone'),
  fields: ({ origins }) => [chosen(named(origins.filter(({ trustedAt }) => trustedAt)))],
  changes: ({ origin = '' }, _present, { visit: { locale } }) => [
    [{ as: origin }, say(locale, 'setAllowed'), null],
  ],
  async run(ctx, { origin = '' }, { about }) {
    await removeOrigin(ctx, about, origin)
    return 'done'
  },
})

const approved = ({ origins }: Present) =>
  origins.filter(({ origin, approvedAt }) => approvedAt && !isPage(origin))

const disapprove = setting<Present>({
  ...{ name: 'origin_disapprove', needs: 'origin disapprove', place: 'shop', group: 'setSites', present },
  blames: 'origin',
  whyNot: (shown) => (approved(shown).length > 0 ? null : 'setOriginsNone'),
  fields: (shown) => [chosen(named(approved(shown)))],
  changes: ({ origin = '' }, _present, { visit: { locale } }) => [
    [{ as: origin }, say(locale, 'setReviewed'), null],
  ],
  async run(ctx, { origin = '' }, { about }) {
    await disapproveOrigin(ctx, about, origin)
    return 'done'
  },
})

export const SITE_ACTS: readonly SettingAct[] = [add, remove, disapprove]
