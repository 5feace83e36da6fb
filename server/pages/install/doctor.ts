/** The doctor on the install page: its form and its findings. */

import { diagnoseEncryption, diagnoseOrigin, diagnoseSpelling } from '../../channels/doctor/diagnosis.ts'
import { bad, type Finding, findingText } from '../../channels/doctor/finding.ts'
import { diagnosePolicy } from '../../channels/doctor/policy.ts'
import { diagnoseReturn } from '../../channels/doctor/return.ts'
import { diagnoseSnippet } from '../../channels/doctor/snippet.ts'
import type { ChannelSettings } from '../../channels/settings.ts'
import type { InstallationRecord } from '../../merchants/installation.ts'
import { type PlainKey, translate } from '../../messages/translate.ts'
import { html, type Markup } from '../html.ts'
import type { Locale } from '../words/locale.ts'

const SITE_MAX_CHARS = 300
const POLICY_MAX_CHARS = 8_000
const FIELDS = ['site', 'back', 'code', 'csp']

export type Examination = {
  origin: string | null
  ofOrigin: Finding[]
  ofCode: Finding[] | null
  ofPolicy: Finding[] | null
  ofReturn: Finding[] | null
  /** The site's origin, if the operator could allow it for the key. */
  allowable: string | null
}

/**
 * Returns null if the form was not sent. People write the address of their site, and the doctor checks the origin that its
 * pages send. `entered`: the fields. `returnUrl`: the address that the snippets of this page name, for visitors who paste no
 * snippet of their own.
 */
export function examine(
  installation: InstallationRecord,
  channel: ChannelSettings,
  {
    entered,
    isForm,
    returnUrl,
  }: { entered: Record<string, string>; isForm: boolean; returnUrl: string | null },
): Examination | null {
  const site = (entered.site ?? '').trim().slice(0, SITE_MAX_CHARS)
  const code = (entered.code ?? '').trim()
  if (site === '' && code === '' && !isForm) return null
  const snippet = code === '' ? null : diagnoseSnippet(code, channel)
  const back = (entered.back ?? '').trim() || (snippet ? snippet.returnUrl : (returnUrl ?? ''))
  const isRelative = back !== '' && !URL.canParse(back)
  const rest = { ofCode: snippet?.findings ?? null, allowable: null }
  if (site === '')
    return { ...rest, origin: null, ofOrigin: [bad('adviceWrite')], ofPolicy: null, ofReturn: null }
  // People copy the address of a page. How it differs from an origin is nothing that they have to fix.
  const { origin } = diagnoseSpelling(site)
  const { allowed, findings: judged, remedy } = diagnoseOrigin(installation, origin ?? site)
  const policy = (entered.csp ?? '').trim().slice(0, POLICY_MAX_CHARS)
  const scriptUrl = channel.script.pinned?.scriptUrl ?? channel.script.moving
  const wanted = { scriptUrl, apiOrigin: channel.apiOrigin, pageOrigin: origin ?? channel.apiOrigin }
  const allowable = remedy?.act?.act === 'allow_origin' ? remedy.act.origin : null
  // The text to send says the same as `adviceAllow`.
  const advice = remedy && remedy.advice.key !== 'adviceAllow' ? [remedy.advice] : []
  const encryption = origin === null ? [] : diagnoseEncryption(origin, channel.apiOrigin)
  return {
    ...rest,
    origin,
    ofOrigin: [...judged, ...encryption, ...advice],
    ofPolicy: policy === '' ? null : diagnosePolicy(policy, wanted),
    // A relative address is on the page's own origin, whose fault is reported already.
    ofReturn: isRelative && !allowed ? null : diagnoseReturn(installation, back, origin ?? undefined),
    allowable,
  }
}

/**
 * What an address may contain of a visit: the options, and only the origin of the doctor's form. The other fields may contain a
 * secret by mistake.
 */
export function keptOf(
  query: Record<string, string>,
  { site, origin }: { site: string | undefined; origin: string | null | undefined },
): Record<string, string> {
  const options = Object.entries(query).filter(([name]) => !FIELDS.includes(name))
  return {
    ...Object.fromEntries(options),
    ...(origin && /^\s*https?:/i.test(site ?? '') && { site: origin }),
  }
}

export function doctorSection(
  locale: Locale,
  channel: ChannelSettings,
  { entered, examination }: { entered: Record<string, string>; examination: Examination | null },
): Markup {
  return html`<p>${translate(locale, 'install.doctorLead')}</p>
    ${field(locale, 'site', html`<input id="site" name="site" inputmode="url" autocapitalize="none" spellcheck="false" placeholder="https://shop.example" maxlength=${SITE_MAX_CHARS} value=${entered.site} />`)}
    ${field(locale, 'code', html`<textarea id="code" name="code" rows="3" spellcheck="false" aria-describedby="code-hint">${entered.code}</textarea>`, 'install.codeHint')}
    <details open=${Boolean(entered.back || entered.csp)}>
      <summary>${translate(locale, 'install.doctorMore')}</summary>
      ${field(locale, 'back', html`<input id="back" name="back" inputmode="url" autocapitalize="none" spellcheck="false" placeholder="https://shop.example/thanks" maxlength=${SITE_MAX_CHARS} value=${entered.back} />`)}
      ${field(locale, 'csp', html`<textarea id="csp" name="csp" rows="3" spellcheck="false" maxlength=${POLICY_MAX_CHARS} aria-describedby="csp-hint">${entered.csp}</textarea>`, 'install.cspHint')}
    </details>
    <p><button class="button" type="submit" data-testid="check">${translate(locale, 'install.check')}</button></p>
    <div id="doctor-answer" role="status" data-testid="doctor-answer">
      ${examination ? answer(locale, channel, examination) : null}
    </div>`
}

function field(
  locale: Locale,
  name: 'site' | 'code' | 'back' | 'csp',
  input: Markup,
  hint?: PlainKey,
): Markup {
  return html`<div class="field">
    <label for=${name}>${translate(locale, `install.${name}`)}</label>
    ${input}
    ${hint && html`<small id=${`${name}-hint`}>${translate(locale, hint)}</small>`}
  </div>`
}

function answer(
  locale: Locale,
  { publicKey }: ChannelSettings,
  { origin, ofOrigin, ofCode, ofPolicy, ofReturn, allowable }: Examination,
): Markup {
  const originTitle =
    origin === null
      ? translate(locale, 'install.resultOriginNone')
      : translate(locale, 'install.resultOrigin', { origin })
  return html`<div class="results">
    ${result(locale, 'origin', originTitle, ofOrigin)}
    ${
      allowable === null
        ? null
        : html`<div class="ask"><p>${translate(locale, 'install.askOperator')}</p>
            <pre><code data-testid="ask">${translate(locale, 'install.askAllow', { origin: allowable, publicKey })}</code></pre></div>`
    }
    ${ofCode && result(locale, 'code', translate(locale, 'install.resultCode'), ofCode)}
    ${ofPolicy && result(locale, 'policy', translate(locale, 'install.resultPolicy'), ofPolicy)}
    ${ofReturn && result(locale, 'return', translate(locale, 'install.resultReturn'), ofReturn)}
  </div>`
}

function result(locale: Locale, testId: string, title: string, findings: Finding[]): Markup {
  const stops = findings.some(({ weight }) => weight === 'bad')
  return html`<div class="result" data-weight=${stops ? 'bad' : 'good'} data-testid=${`result-${testId}`}>
    <h3><bdi>${title}</bdi> <span class="verdict">${translate(locale, stops ? 'install.stops' : 'install.fine')}</span></h3>
    <ul>${findings.map((each) => html`<li data-finding=${each.key}>${findingText(locale, each)}</li>`)}</ul>
  </div>`
}
