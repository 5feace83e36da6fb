import { family } from './family.ts'

/** What was refused, and what to do next. `refusals.ts` chooses among them. */
export const REFUSAL_WORDS = family({
  en: {
    refused_lastTwo:
      'A limit is set above which a second person must approve, and only two people could do that. Add another operator or administrator first, or remove the limits.',
    refused_proposedAlready:
      '{proposer} has proposed this already, and it waits under Approvals ({approval}). Grant or refuse that one first, or take it back.',
    refused_changed:
      'Somebody has changed it since you opened the page. Look at it as it is now, and send it again.',
    refused_productExists:
      'Your shop has another product with this name. Choose another name, or change that product.',
    refused_notWhole: 'Prices in this currency have no decimals. Write a whole number.',
    refused_quantity:
      'The quantity must be from 1 to 100, and all pieces together must not cost too much for one payment.',
    refused_choice: 'The smallest amount must not be above the greatest, and the price must be between them.',
    refused_origin: 'Write the address of your site, such as https://shop.example, without a page behind it.',
    refused_page: 'Write the whole address of your public page, beginning with https://.',
    refused_notReviewed:
      'This address is not reviewed yet. For real money somebody who runs this service looks at it first.',
    refused_notOnboarded: 'Your shop is not ready for real money yet. “Going live” shows what is missing.',
    refused_why: 'Write why, in at most 240 characters.',
    refused_email: 'Write an e-mail address, such as name@shop.example.',
    refused_testMails:
      'There were three test mails within the hour. Look for them in the mailbox, among unwanted mail too. Try again in an hour.',
    refused_callbackIsSet:
      'A program of your shop gets its news already. The settings of the shop show its address, and change it.',
    refused_orderQuestion:
      'Somebody must decide about this order first. Its question is written on its page.',
    refused_moneyHeld: 'The money of this order is only held. It must be taken first.',
    refused_moneyReturned: 'The money of this order went back to the buyer.',
    refused_moneyDisputed: 'The buyer disputes the payment of this order.',
    refused_moneyUnknown: 'Nobody knows yet whether the money of this order came.',
    refused_moneyNone: 'This order has no money.',
    refused_note: 'Write a note of at most 2,000 characters.',
    refused_settled: 'Nothing is left to decide about this order.',
    refused_amount: 'Write the price in digits, such as 12.50.',
    refused_name: 'Write a name in one line, not too long and without invisible characters.',
    refused_description:
      'The description is too long or has invisible characters. Write at most 1,000 characters.',
    refused_label:
      'Your own words beside a field must be one line of at most 80 characters, without invisible ones.',
    refused_picture: 'Choose a PNG, JPEG, WebP or GIF picture of at most 5 MB and 25 megapixels.',
    refused_heic:
      'This photo has the HEIC format of iPhones, which cannot be read here. Save it as JPEG, or take a picture of the screen, and choose that one.',
    refused_colour: 'Choose a colour, such as #1f6feb.',
    refused_phone: 'Write a telephone number, such as +374 10 123456.',
    refused_site: 'Write a whole web address, such as https://shop.example.',
    refused_taxNumber: 'A tax number has 2 to 40 letters and digits.',
    refused_timeZone: 'Choose a time zone from the list, such as Asia/Yerevan.',
    refused_notEligible: 'This payment does not allow this now. Look at what has happened to it.',
    refused_disabled: 'The contract with the provider of this payment does not allow this from here.',
    refused_card:
      'The text must not contain a card number. If it is another number, put a letter before and after it.',
    refused_busy: 'It is not possible at this moment. Try again in a minute.',
    refused_other: 'This was not accepted. Check what you wrote, and look at how it is now.',
    refused_partTaken:
      'Only {amount} of {asked} was taken. To decide this, accept that sum, or return the money first.',
    refused_referenceAmount:
      'The transfer {reference} is already noted, with {amount}. Look into the statement: either the reference or the amount is another one.',
    tooLargeTitle: 'This is too large',
    tooLargeText: 'Choose a picture of at most 5 MB, or write less, and send the form again.',
  },
  ru: {
    refused_lastTwo:
      'Задан порог, сверх которого нужен второй человек, а согласиться могли бы только двое. Сначала добавьте ещё одного оператора или администратора или снимите пороги.',
    refused_proposedAlready:
      '{proposer} уже предлагает это, оно ждёт в «Согласованиях» ({approval}). Сначала согласитесь, откажите или отзовите то предложение.',
    refused_changed:
      'Пока страница была открыта, кто-то это изменил. Посмотрите, как сейчас, и отправьте снова.',
    refused_productExists:
      'В вашем магазине есть другой товар с таким названием. Выберите другое название или измените тот товар.',
    refused_notWhole: 'Цены в этой валюте без копеек. Напишите целое число.',
    refused_quantity:
      'Количество — от 1 до 100, и всё вместе не должно стоить слишком много для одного платежа.',
    refused_choice: 'Наименьшая сумма не может быть больше наибольшей, а цена должна быть между ними.',
    refused_origin: 'Напишите адрес сайта, например https://shop.example, без страницы после него.',
    refused_page: 'Напишите полный адрес вашей публичной страницы, начиная с https://.',
    refused_notReviewed:
      'Этот адрес ещё не проверен. Для настоящих денег его сначала смотрит тот, кто ведёт этот сервис.',
    refused_notOnboarded:
      'Ваш магазин ещё не готов к настоящим деньгам. «Запуск» показывает, чего не хватает.',
    refused_why: 'Напишите причину, не длиннее 240 знаков.',
    refused_email: 'Напишите адрес почты, например name@shop.example.',
    refused_testMails:
      'За этот час уже ушло три пробных письма. Поищите их в почте, в том числе среди спама. Попробуйте снова через час.',
    refused_callbackIsSet:
      'Новости уже получает программа вашего магазина. Её адрес показан в настройках магазина, там его и меняют.',
    refused_orderQuestion: 'Сначала нужно принять решение по этому заказу. Вопрос написан на его странице.',
    refused_moneyHeld: 'Деньги за этот заказ только удержаны. Сначала их нужно списать.',
    refused_moneyReturned: 'Деньги за этот заказ вернулись покупателю.',
    refused_moneyDisputed: 'Покупатель оспаривает оплату этого заказа.',
    refused_moneyUnknown: 'Пока неизвестно, пришли ли деньги за этот заказ.',
    refused_moneyNone: 'За этот заказ денег нет.',
    refused_note: 'Напишите заметку не длиннее 2000 знаков.',
    refused_settled: 'По этому заказу решать больше нечего.',
    refused_amount: 'Напишите цену цифрами, например 12,50.',
    refused_name: 'Напишите название в одну строку, не слишком длинное и без невидимых знаков.',
    refused_description: 'Описание слишком длинное или содержит невидимые знаки. Не больше 1000 знаков.',
    refused_label: 'Ваши слова у поля — одна строка, не длиннее 80 знаков, без невидимых знаков.',
    refused_picture: 'Выберите картинку PNG, JPEG, WebP или GIF не больше 5 МБ и 25 мегапикселей.',
    refused_heic:
      'Это фото в формате HEIC (так снимает iPhone), здесь его не прочитать. Сохраните его как JPEG или сделайте снимок экрана и выберите его.',
    refused_colour: 'Выберите цвет, например #1f6feb.',
    refused_phone: 'Напишите номер телефона, например +374 10 123456.',
    refused_site: 'Напишите полный адрес, например https://shop.example.',
    refused_taxNumber: 'Налоговый номер — от 2 до 40 букв и цифр.',
    refused_timeZone: 'Выберите часовой пояс из списка, например Asia/Yerevan.',
    refused_notEligible: 'Сейчас этот платёж такого не позволяет. Посмотрите, что с ним произошло.',
    refused_disabled: 'Договор с провайдером этого платежа не позволяет делать это отсюда.',
    refused_card:
      'В тексте не должно быть номера карты. Если это другой номер, поставьте букву до и после него.',
    refused_busy: 'Сейчас это невозможно. Попробуйте через минуту.',
    refused_other: 'Это не принято. Проверьте, что написано, и посмотрите, как сейчас.',
    refused_partTaken:
      'Получено только {amount} из {asked}. Чтобы так решить, согласитесь на эту сумму или сначала верните деньги.',
    refused_referenceAmount:
      'Перевод {reference} уже отмечен, с суммой {amount}. Посмотрите выписку: либо номер, либо сумма другие.',
    tooLargeTitle: 'Это слишком много',
    tooLargeText: 'Выберите картинку не больше 5 МБ или напишите короче и отправьте форму снова.',
  },
  hy: {
    refused_lastTwo:
      'Սահմանված է շեմ, որից բարձր պետք է երկրորդ մարդ, իսկ համաձայնել կարող էին միայն երկուսը։ Նախ ավելացրեք ևս մեկ օպերատոր կամ ադմինիստրատոր կամ հանեք շեմերը։',
    refused_proposedAlready:
      '{proposer}-ն արդեն առաջարկել է սա, և այն սպասում է «Հաստատումներում» ({approval})։ Նախ համաձայնեք, մերժեք կամ հետ վերցրեք այն։',
    refused_changed: 'Մինչ էջը բաց էր, ինչ-որ մեկը փոխել է սա։ Նայեք, թե ինչպես է հիմա, և նորից ուղարկեք։',
    refused_productExists: 'Ձեր խանութում կա այս անունով այլ ապրանք։ Ընտրեք այլ անուն կամ փոխեք այդ ապրանքը։',
    refused_notWhole: 'Այս արժույթով գները ամբողջ թվեր են։ Գրեք ամբողջ թիվ։',
    refused_quantity: 'Քանակը 1-ից 100 է, և բոլորը միասին չպետք է չափազանց թանկ լինեն մեկ վճարման համար։',
    refused_choice: 'Ամենափոքր գումարը չի կարող մեծ լինել ամենամեծից, իսկ գինը պետք է լինի դրանց միջև։',
    refused_origin: 'Գրեք ձեր կայքի հասցեն, օրինակ՝ https://shop.example, առանց էջի։',
    refused_page: 'Գրեք ձեր հանրային էջի ամբողջ հասցեն՝ սկսած https://-ից։',
    refused_notReviewed:
      'Այս հասցեն դեռ ստուգված չէ։ Իրական գումարի համար այն նախ նայում է ծառայությունը վարողը։',
    refused_notOnboarded:
      'Ձեր խանութը դեռ պատրաստ չէ իրական գումարի։ «Մեկնարկը» ցույց է տալիս, թե ինչն է պակասում։',
    refused_why: 'Գրեք պատճառը՝ առավելագույնը 240 նիշ։',
    refused_email: 'Գրեք էլ. փոստի հասցե, օրինակ՝ name@shop.example։',
    refused_testMails:
      'Այս ժամում արդեն երեք փորձնական նամակ է ուղարկվել։ Փնտրեք դրանք փոստում, նաև անցանկալի նամակների մեջ։ Նորից փորձեք մեկ ժամից։',
    refused_callbackIsSet:
      'Նորություններն արդեն ստանում է ձեր խանութի ծրագիրը։ Դրա հասցեն խանութի կարգավորումներում է, այնտեղ էլ փոխվում է։',
    refused_orderQuestion: 'Նախ պետք է որոշում կայացնել այս պատվերի մասին։ Հարցը գրված է դրա էջում։',
    refused_moneyHeld: 'Այս պատվերի գումարը միայն պահված է։ Նախ պետք է գանձել այն։',
    refused_moneyReturned: 'Այս պատվերի գումարը վերադարձել է գնորդին։',
    refused_moneyDisputed: 'Գնորդը վիճարկում է այս պատվերի վճարումը։',
    refused_moneyUnknown: 'Դեռ հայտնի չէ՝ այս պատվերի գումարը եկե՞լ է։',
    refused_moneyNone: 'Այս պատվերը գումար չունի։',
    refused_note: 'Գրեք նշում՝ առավելագույնը 2000 նիշ։',
    refused_settled: 'Այս պատվերի մասին որոշելու այլևս բան չկա։',
    refused_amount: 'Գրեք գինը թվերով, օրինակ՝ 12,50։',
    refused_name: 'Գրեք անվանումը մեկ տողով՝ ոչ շատ երկար և առանց անտեսանելի նիշերի։',
    refused_description:
      'Նկարագրությունը չափազանց երկար է կամ անտեսանելի նիշեր ունի։ Առավելագույնը 1000 նիշ։',
    refused_label:
      'Դաշտի կողքի ձեր բառերը պետք է մեկ տող լինեն՝ առավելագույնը 80 նիշ, առանց անտեսանելի նիշերի։',
    refused_picture: 'Ընտրեք PNG, JPEG, WebP կամ GIF նկար՝ առավելագույնը 5 ՄԲ և 25 մեգապիքսել։',
    refused_heic:
      'Այս լուսանկարը HEIC ձևաչափով է (այդպես է լուսանկարում iPhone-ը), այստեղ այն կարդալ հնարավոր չէ։ Պահեք որպես JPEG կամ արեք էկրանի պատկեր և ընտրեք դա։',
    refused_colour: 'Ընտրեք գույն, օրինակ՝ #1f6feb։',
    refused_phone: 'Գրեք հեռախոսահամար, օրինակ՝ +374 10 123456։',
    refused_site: 'Գրեք ամբողջ հասցեն, օրինակ՝ https://shop.example։',
    refused_taxNumber: 'Հարկային համարն ունի 2-ից 40 տառ կամ թիվ։',
    refused_timeZone: 'Ընտրեք ժամային գոտի ցանկից, օրինակ՝ Asia/Yerevan։',
    refused_notEligible: 'Այս վճարումն այժմ դա թույլ չի տալիս։ Նայեք, թե ինչ է եղել դրա հետ։',
    refused_disabled: 'Այս վճարման մատակարարի հետ պայմանագիրը թույլ չի տալիս դա անել այստեղից։',
    refused_card: 'Տեքստում չպետք է լինի քարտի համար։ Եթե դա այլ համար է, դրանից առաջ և հետո տառ դրեք։',
    refused_busy: 'Այս պահին հնարավոր չէ։ Փորձեք մեկ րոպեից։',
    refused_other: 'Սա չընդունվեց։ Ստուգեք գրածը և նայեք, թե ինչպես է հիմա։',
    refused_partTaken:
      'Ստացվել է միայն {amount}, իսկ պահանջվել էր {asked}։ Այսպես որոշելու համար համաձայնեք այդ գումարին կամ նախ վերադարձրեք գումարը։',
    refused_referenceAmount:
      '{reference} փոխանցումն արդեն նշված է՝ {amount} գումարով։ Նայեք քաղվածքը. կա՛մ համարը, կա՛մ գումարն այլ է։',
    tooLargeTitle: 'Սա չափազանց մեծ է',
    tooLargeText: 'Ընտրեք առավելագույնը 5 ՄԲ նկար կամ ավելի քիչ գրեք և նորից ուղարկեք ձևը։',
  },
})
