/** A question about a statement, in the file's own words. Each answer is a link or a small form, so it works without a script. */
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import type { Answers, Question } from '../../reports/reading/question.ts'
import { field, hiddenFields } from '../form-parts.ts'
import { addressWith, statedText } from '../parts.ts'
import { say } from '../words/say.ts'
import { type FormAnswers, fieldsOf, statusField } from './answers.ts'

/** `path`: of the upload. */
type Where = { locale: Locale; path: string; answers: FormAnswers }
type AskableQuestion = Exclude<Question, { about: 'columns' }>

export function questionPart(where: Where, question: AskableQuestion): Markup {
  const { locale } = where
  return html`<h2 data-about=${question.about}>${leadOf(locale, question)}</h2>
    ${formOf(where, question)}
    <p class="hint">${say(locale, 'answerKept')}</p>`
}

function leadOf(locale: Locale, question: AskableQuestion): string {
  switch (question.about) {
    case 'encoding':
      return say(locale, 'askEncoding')
    case 'currency':
      return question.named === undefined
        ? say(locale, 'askCurrency')
        : say(locale, 'askCurrencyOf', { named: question.named })
    case 'amounts':
    case 'days':
      return say(locale, 'askMeaning', { line: String(question.line), text: question.text })
    case 'direction':
      return question.column === undefined
        ? say(locale, 'askDirection')
        : say(locale, 'askDirectionOf', { column: question.column })
    case 'unsigned': {
      const { marked, line, text } = question
      const where = { markedLine: String(marked.line), marked: marked.text, line: String(line), text }
      return say(locale, 'askUnsigned', where)
    }
    case 'status':
      return say(locale, 'askStatus')
    case 'equalIds':
      return say(locale, 'askEqualIds')
  }
}

function formOf(where: Where, question: AskableQuestion): Markup {
  const { locale, path, answers: said } = where
  switch (question.about) {
    case 'encoding':
      return choicesOf(
        where,
        question.choices.map(({ text, answers }) => [text, answers]),
      )
    case 'currency':
      return html`<form method="get" action=${path} class="fields">
        ${hiddenFields(fieldsOf(said))}
        ${field({ name: 'currency', label: say(locale, 'fixedCurrency'), hint: say(locale, 'currencyHint') })}
        <button class="button">${say(locale, 'answer')}</button>
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
        question.column === undefined ? [] : [[say(locale, 'allCame'), { unsigned: 'came' }]]
      return choicesOf(where, [...words, ...all])
    }
    case 'unsigned':
      return choicesOf(where, [
        [say(locale, 'moneyWent'), { unsigned: 'went' }],
        [say(locale, 'moneyCame'), { unsigned: 'came' }],
      ])
    case 'status':
      return html`<form method="get" action=${path} class="fields">
        ${hiddenFields(fieldsOf(said))}
        ${question.words.map((word, at) => statusTick(word, at))}
        <button class="button">${say(locale, 'answer')}</button>
      </form>`
    case 'equalIds':
      return html`<ul class="rows">${question.lines.map(
        ({ id, line, amountMinor, currency }) =>
          html`<li><div class="row"><strong>${statedText(amountMinor, currency, locale)}</strong><span class="hint">${say(locale, 'lineNumber', { line: String(line) })}, ${id}</span></div></li>`,
      )}</ul>
      <p>${say(locale, 'equalIdsElse')}</p>
      ${choicesOf(where, [[say(locale, 'equalIdsBoth'), { equalIds: 'both' }]])}`
  }
}

function statusTick(word: string, at: number): Markup {
  const name = statusField(at)
  return html`<p class="tick"><input id=${name} name=${name} type="checkbox" value=${word} /> <label for=${name}>${word}</label></p>`
}

type Choice = readonly [text: string, answers: Answers]

function choicesOf({ path, answers: said }: Where, choices: readonly Choice[]): Markup {
  const to = (answers: Answers) =>
    addressWith(path, fieldsOf({ ...said, answers: { ...said.answers, ...answers } }))
  return html`<div class="fields">${choices.map(
    ([text, answers]) => html`<a class="button quiet" href=${to(answers)}><bdi>${text}</bdi></a>`,
  )}</div>`
}

const numberText = (minor: number, locale: Locale) =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(minor / 100)

const dayText = (day: Date, locale: Locale) =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(day)
