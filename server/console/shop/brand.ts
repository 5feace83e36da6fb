/** How buyers see the shop: its name, logo, colour and contacts. */

import { inEachLanguage } from '../../acts/languages.ts'
import { may } from '../../acts/policy.ts'
import { brand, typedPart } from '../../acts/rows/brand.ts'
import { LANGUAGES } from '../../contract/languages.ts'
import { type Branding, type BrandingPart, getBranding } from '../../merchants/branding.ts'
import { versionOf } from '../../merchants/version.ts'
import { askForName, findProposedName } from '../../operator/shop/public-name.ts'
import { shownPicture } from '../../pages/brand/brand.ts'
import { html, type Markup } from '../../pages/html.ts'
import { LOCALES, type Locale } from '../../pages/words/locale.ts'
import { formPage } from '../form-page.ts'
import { field, hiddenFields, pictureField, selectField, tick } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, narrowScreen, whoMay } from '../page-parts.ts'
import { translate } from '../words/translate.ts'
import { actFor, type ShopView, shopOf, writing } from '../world.ts'

/** Each is one line of text. An empty one is removed. */
const TEXTS = [
  { part: 'name', title: 'brandName', type: 'text' },
  { part: 'phone', title: 'brandPhone', type: 'tel' },
  { part: 'email', title: 'brandEmail', type: 'email' },
  { part: 'site', title: 'brandSite', type: 'url' },
  { part: 'taxNumber', title: 'brandTaxNumber', type: 'text' },
  { part: 'termsUrl', title: 'brandTerms', type: 'url' },
] as const
const COLOUR_IF_NONE = '#17433c'

const page: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/brand',
  needs: 'merchant show',
  handle: (visit) => brandScreen(visit),
}

async function brandScreen(visit: OwnVisit, problem?: string): Promise<Screen> {
  const { locale, user, query } = visit
  const view = await shopOf(visit)
  const { name, branding } = await getBranding(view.ctx, view.merchantId)
  const title = translate(locale, 'brandTitle')
  const proposedName = await findProposedName(view.ctx, view.merchantId)
  const done = query.done && (query.done === 'nameAsked' ? 'done_nameAsked' : 'done_changed')
  const body = html`${proposedName === null ? null : html`<p>${translate(locale, 'brandNameWaits', { name: proposedName })}</p>`}
    <p class="lead">${translate(locale, 'brandLead')}</p>
    ${logoOf(branding)}
    ${
      may(user, 'merchant brand')
        ? html`<form method="post" enctype="multipart/form-data" class="fields">
            ${hiddenFields({ seen: versionOf(branding) })}
            ${brandFields(visit, { name, branding })}
            <button class="button">${translate(locale, 'productSave')}</button>
          </form>`
        : html`${factsOf(locale, name, branding)}${whoMay(locale, 'merchant brand')}`
    }
    ${backTo(view.path, view.merchant.name)}`
  return narrowScreen({ title, body, problem, notice: done ? translate(locale, done) : null })
}

function logoOf({ logo }: Branding): Markup {
  if (!logo) return null
  const { address, width, height, ground } = shownPicture(logo)
  return html`<img class="brand-logo" data-ground=${ground} src=${address} alt="" width=${width} height=${height} />`
}

function factsOf(locale: Locale, name: string, branding: Branding): Markup {
  return html`<dl class="facts">
    ${TEXTS.map(({ part, title }) => {
      const text = part === 'name' ? (branding.name ?? name) : branding[part]
      return text ? html`<div><dt>${translate(locale, title)}</dt><dd><bdi>${text}</bdi></dd></div>` : null
    })}
  </dl>`
}

function brandFields(visit: OwnVisit, { name, branding }: { name: string; branding: Branding }): Markup {
  const { locale, form } = visit
  const isSent = form.seen !== undefined
  const value = (key: string, stored = '') => (isSent ? (form[key] ?? '') : stored)
  const zones = ['', ...Intl.supportedValuesOf('timeZone')].map(
    (zone) => [zone, zone || translate(locale, 'brandZoneOfService')] as const,
  )
  return html`
    ${TEXTS.map(({ part, title, type }) =>
      field({
        name: part,
        label: translate(locale, title),
        type,
        isOptional: part !== 'name',
        value: value(part, part === 'name' ? (branding.name ?? name) : branding[part]),
      }),
    )}
    ${pictureField(visit, 'logo', translate(locale, 'brandLogo'))}
    ${branding.logo ? tick('withoutLogo', translate(locale, 'brandLogoRemove')) : null}
    ${tick('withColour', translate(locale, 'brandWithColour'), isSent ? form.withColour === 'yes' : branding.colour !== undefined)}
    <p class="field">
      <label for="colour">${translate(locale, 'brandColour')}</label>
      <input id="colour" class="colour" name="colour" type="color" value=${value('colour', branding.colour ?? COLOUR_IF_NONE)} />
    </p>
    ${selectField('timeZone', translate(locale, 'brandZone'), zones, value('timeZone', branding.timeZone))}
    ${tick('askEmail', translate(locale, 'brandAskEmail'), isSent ? form.askEmail === 'yes' : branding.askEmail === true)}
    <details class="more">
      <summary>${translate(locale, 'productLanguages')}</summary>
      <p class="hint">${translate(locale, 'productLanguagesHint')}</p>
      ${LOCALES.map((each) => field({ name: `name-${each}`, label: translate(locale, 'productNameIn', { language: LANGUAGES[each].own }), value: value(`name-${each}`, branding.names?.[each]), isOptional: true, lang: each }))}
    </details>`
}

const change = formPage({
  path: '/:world/shops/:merchant/brand',
  needs: 'merchant brand',
  hasFiles: true,
  again: brandScreen,
  async send(visit) {
    const view = await shopOf(visit)
    const { merchantId } = view
    const { changes: given, ...rest } = readBrand(visit, view)
    const { user } = visit
    const isOfShop = user.merchantId !== null
    const { changes, isProposed } = isOfShop
      ? await askForName(writing(visit, 'merchant brand', merchantId), user, merchantId, given)
      : { changes: given, isProposed: false }
    const { names = {}, askEmail, ...texts } = changes
    await actFor(visit, brand, merchantId, {
      merchantId,
      ...texts,
      ...inEachLanguage('name', (code) => names[code]),
      askEmail: askEmail ? 'yes' : 'no',
      ...rest,
      seen: visit.form.seen ?? '',
    })
    return `${view.path}/brand?done=${isProposed ? 'nameAsked' : 'changed'}`
  },
})

/** Empty values are removed. An unchanged registered name is not stored a second time. */
function readBrand({ form, file }: OwnVisit, { merchant }: ShopView) {
  const logo = file('logo')
  const given = [...TEXTS.map(({ part }) => part), 'timeZone' as const].map(
    (part) => [part, form[part]?.trim() ?? ''] as const,
  )
  const isRegistered = form.name?.trim() === merchant.name
  const kept = given.filter(
    ([part, text]) => (text !== '' || part === 'name') && !(part === 'name' && isRegistered),
  )
  const names = Object.fromEntries(LOCALES.map((each) => [each, form[`name-${each}`]?.trim() ?? '']))
  const withColour = form.withColour === 'yes'
  const removed: BrandingPart[] = [
    ...given.flatMap(([part, text]) => (text === '' && part !== 'name' ? [part] : [])),
    ...(withColour ? [] : ['colour' as const]),
    ...(form.withoutLogo === 'yes' && !logo ? ['logo' as const] : []),
  ]
  const changes: Branding = {
    ...Object.fromEntries(kept),
    names,
    askEmail: form.askEmail === 'yes',
    ...(withColour && { colour: form.colour ?? '' }),
  }
  return { changes, ...(logo && { logo }), remove: removed.map(typedPart) }
}

export const BRAND_PAGES: readonly ConsolePage[] = [page, change]
