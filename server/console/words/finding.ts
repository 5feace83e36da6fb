import { family } from './family.ts'

/** Finding something in a long list. */
export const FINDING_WORDS = family({
  en: {
    listFind: 'Name or a part of it',
    listFindPerson: 'Name or e-mail address, or a part of it',
    listNone: 'Nothing with this name was found.',
    listNoneSoFar: 'Nothing was found so far. The list goes on.',
  },
  ru: {
    listFind: 'Название или его часть',
    listFindPerson: 'Имя, адрес эл. почты или их часть',
    listNone: 'Ничего с таким названием не найдено.',
    listNoneSoFar: 'Пока ничего не найдено. Список продолжается.',
  },
  hy: {
    listFind: 'Անվանումը կամ դրա մի մասը',
    listFindPerson: 'Անունը, էլ. հասցեն կամ դրանց մի մասը',
    listNone: 'Այս անվանումով ոչինչ չի գտնվել։',
    listNoneSoFar: 'Առայժմ ոչինչ չի գտնվել։ Ցանկը շարունակվում է։',
  },
})
