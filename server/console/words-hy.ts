import type { ConsoleKey } from './words-en.ts'

export const HY: Record<ConsoleKey, string> = {
  languages: 'Լեզու',
  welcomeTitle: 'Կառավարման էջ',
  welcomeText: 'Խանութները և այս ծառայությունը վարողների համար։',
  linkNeeded:
    'Առաջի՞ն անգամ եք այստեղ։ Բացեք ադմինիստրատորի տված հղումը։ Այն գործում է մեկ անգամ, մեկ օրվա ընթացքում։',

  notFoundTitle: 'Այստեղ ոչինչ չկա',
  notFoundText: 'Հասցեն սխալ է, կամ դուք իրավունք չունեք սա տեսնելու։',
  forbiddenTitle: 'Ձևը չընդունվեց',
  forbiddenText: 'Այն չի ուղարկվել այս էջից։ Նորից բացեք էջը և ուղարկեք ձևն այնտեղից։',
  busyTitle: 'Չափազանց շատ փորձեր',
  busyText: 'Սպասեք {seconds} վայրկյան, ապա նորից փորձեք։',
  errorTitle: 'Ինչ-որ բան սխալ գնաց',
  errorText:
    'Դա ձեր մեղքը չէ։ Նորից փորձեք։ Եթե կրկնվի, ներքևի համարը հայտնեք այս ծառայությունը սպասարկողին։',
  requestNumber: 'Հարցման համարը՝ {id}',
  back: 'Գլխավոր էջ',
}
