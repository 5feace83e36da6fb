/** A question about a statement, in the file's own words. Each answer is a link or a small form, so it works without a script. */
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import type { Answers, Question } from '../../reports/reading/question.ts'
import { field, hiddenFields } from '../form-parts.ts'
import { addressWith, statedText } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { type FormAnswers, fieldsOf, statusField } from './answers.ts'

/** `path`: of the upload. */
type Where = { locale: Locale; path: string; answers: FormAnswers }
type AskableQuestion = Exclude<Question, { about: 'columns' }>

export function questionPart(where: Where, question: AskableQuestion): Markup {
  const { locale } = where
  return html`<h2 data-about=${question.about}>${leadOf(locale, question)}</h2>
    ${formOf(where, question)}
    <p class="hint">${translate(locale, 'answerKept')}</p>`
}

function leadOf(locale: Locale, question: AskableQuestion): string {
  switch (question.about) {
    case 'encoding':
      return translate(locale, 'askEncoding')
    case 'currency':
      return question.named === undefined
        ? translate(locale, 'askCurrency')
        : translate(locale, 'askCurrencyOf', { named: question.named })
    case 'amounts':
    case 'days':
      return translate(locale, 'askMeaning', { line: String(question.line), text: question.text })
    case 'direction':
      return question.column === undefined
        ? translate(locale, 'askDirection')
        : translate(locale, 'askDirectionOf', { column: question.column })
    case 'unsigned': {
      const { marked, line, text } = question
      const where = { markedLine: String(marked.line), marked: marked.text, line: String(line), text }
      return translate(locale, 'askUnsigned', where)
    }
    case 'status':
      return translate(locale, 'askStatus')
    case 'equalIds':
      return translate(locale, 'askEqualIds')
  }
}

function formOf(where: Where, question: AskableQuestion): Markup {
  const { locale, path, answers: given } = where
  switch (question.about) {
    case 'encoding':
      return choicesOf(
        where,
        question.choices.map(({ text, answers }) => [text, answers]),
      )
    case 'currency':
      return html`<form method="get" action=${path} class="fields">
        ${hiddenFields(fieldsOf(given))}
        ${field({ name: 'currency', label: translate(locale, 'fixedCurrency'), hint: translate(locale, 'currencyHint') })}
        <button class="button">${translate(locale, 'answer')}</button>
      </form>`
    case 'amounts':
      return choicesOf(
        where,
        question.choices.map(({ minor, answers }) => [numberText(minor, locale), answers]),
      )
    case 'days':
      return choicesOf(
        where,
        question.choices.map(({ day, answers }) => [dayText(day, locale), answers]),
      )
    case 'direction': {
      const words = question.words.map((credit): Choice => [credit, { credit }])
      const all: Choice[] =
        question.column === undefined ? [] : [[translate(locale, 'allCame'), { unsigned: 'came' }]]
      return choicesOf(where, [...words, ...all])
    }
    case 'unsigned':
      return choicesOf(where, [
        [translate(locale, 'moneyWent'), { unsigned: 'went' }],
        [translate(locale, 'moneyCame'), { unsigned: 'came' }],
      ])
    case 'status':
      return html`<form method="get" action=${path} class="fields">
        ${hiddenFields(fieldsOf(given))}
        ${question.words.map((word, at) => statusTick(word, at))}
        <button class="button">${translate(locale, 'answer')}</button>
      </form>`
    case 'equalIds':
      return html`<ul class="rows">${question.lines.map(
        ({ id, line, amountMinor, currency }) =>
          html`<li><div class="row"><strong>${statedText(amountMinor, currency, locale)}</strong><span class="hint">${translate(locale, 'lineNumber', { line: String(line) })}, ${id}</span></div></li>`,
      )}</ul>
      <p>${translate(locale, 'equalIdsElse')}</p>
      ${choicesOf(where, [[translate(locale, 'equalIdsBoth'), { equalIds: 'both' }]])}`
  }
}

function statusTick(word: string, at: number): Markup {
  const name = statusField(at)
  return html`<p class="tick"><input id=${name} name=${name} type="checkbox" value=${word} /> <label for=${name}>${word}</label></p>`
}

type Choice = readonly [text: string, answers: Answers]

function choicesOf({ path, answers: given }: Where, choices: readonly Choice[]): Markup {
  const to = (answers: Answers) =>
    addressWith(path, fieldsOf({ ...given, answers: { ...given.answers, ...answers } }))
  return html`<div class="fields">${choices.map(
    ([text, answers]) => html`<a class="button quiet" href=${to(answers)}><bdi>${text}</bdi></a>`,
  )}</div>`
}

const numberText = (minor: number, locale: Locale) =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(minor / 100)

const dayText = (day: Date, locale: Locale) =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(day)
