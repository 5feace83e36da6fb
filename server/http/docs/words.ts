/** The words of the frame around a page, in each language in which there are guides. */
import type { Language } from '../../contract/languages.ts'

const EN = {
  name: 'Kassa documentation',
  skip: 'Skip to the content',
  contents: 'Contents',
  neighbours: 'Previous and next page',
  previous: 'Previous',
  next: 'Next',
  onThisPage: 'On this page',
  otherLanguages: 'This page in other languages',
  searchLabel: 'Search the documentation',
  search: 'Search',
  typeWords: 'Type one or more words into the field at the top.',
  nothingFound: 'Nothing holds all of these words: {query}',
  found: 'Results for {query}: {count}',
  fewerWords: 'Try fewer or shorter words, or read the contents.',
}
export type DocsWords = typeof EN

const WORDS: { en: DocsWords } & Partial<Record<Language, DocsWords>> = {
  en: EN,
  hy: {
    name: 'Kassa-ի ուղեցույց',
    skip: 'Անցնել բովանդակությանը',
    contents: 'Բովանդակություն',
    neighbours: 'Նախորդ և հաջորդ էջերը',
    previous: 'Նախորդ',
    next: 'Հաջորդ',
    onThisPage: 'Այս էջում',
    otherLanguages: 'Այս էջն ուրիշ լեզուներով',
    searchLabel: 'Որոնել ուղեցույցում',
    search: 'Որոնել',
    typeWords: 'Վերևի դաշտում գրեք մեկ կամ մի քանի բառ։',
    nothingFound: 'Այս բոլոր բառերը միասին ոչ մի տեղ չկան՝ {query}',
    found: 'Գտնվել է՝ {count} ({query})',
    fewerWords: 'Գրեք ավելի քիչ կամ ավելի կարճ բառեր կամ նայեք բովանդակությունը։',
  },
  ru: {
    name: 'Документация Kassa',
    skip: 'Перейти к содержанию',
    contents: 'Оглавление',
    neighbours: 'Предыдущая и следующая страницы',
    previous: 'Назад',
    next: 'Дальше',
    onThisPage: 'На этой странице',
    otherLanguages: 'Эта страница на других языках',
    searchLabel: 'Искать в документации',
    search: 'Искать',
    typeWords: 'Напишите в поле вверху одно или несколько слов.',
    nothingFound: 'Всех этих слов вместе нигде нет: {query}',
    found: 'Найдено по запросу {query}: {count}',
    fewerWords: 'Напишите меньше слов или слова покороче либо загляните в оглавление.',
  },
}

/** A language without guides has no words of its own, so its readers get English. */
export const docsWords = (locale: Language): DocsWords => WORDS[locale] ?? WORDS.en
