// What mdBook lacks: search in Chinese, Chinese labels of its buttons, a name for its dark theme, links to the same
// page in the other language, names of the links to chapters, roles for screen readers, values that a reader can
// change, and the script of a guide in a page.
"use strict";

(() => {
  const { lang } = document.documentElement;
  const han = /\p{Script=Han}/u;
  const excerptLength = 80;

  /** The text around the first place of a term, as words, because mdBook cuts excerpts at spaces. */
  function excerpt(body, term) {
    const at = Math.max(body.toLowerCase().indexOf(term), 0);
    const from = Math.max(at - excerptLength / 2, 0);
    const to = at + term.length + excerptLength / 2;
    return `${body.slice(from, at)} ${body.slice(at, at + term.length)} ${body.slice(at + term.length, to)}`;
  }

  /** The sections that contain every term, those with a term in the title first. */
  function scan(store, query) {
    const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    for (const [ref, doc] of Object.entries(store.docs)) {
      const title = `${doc.title} ${doc.breadcrumbs}`.toLowerCase();
      const body = doc.body.toLowerCase();
      if (!terms.every((term) => title.includes(term) || body.includes(term))) continue;
      const score = terms.filter((term) => title.includes(term)).length;
      found.push({ ref, score, doc: { ...doc, body: excerpt(doc.body, terms[0]) } });
    }
    return found.sort((a, b) => b.score - a.score);
  }

  // mdBook's index has only words between spaces, but it holds the text of all sections.
  if (window.elasticlunr) {
    const { prototype } = elasticlunr.Index;
    const { search } = prototype;
    prototype.search = function (query, options) {
      return han.test(query) ? scan(this.documentStore, query) : search.call(this, query, options);
    };
    // mdBook may have searched already for what the address asks. It searches again for other words only.
    const bar = document.getElementById("mdbook-searchbar");
    if (bar && han.test(bar.value)) {
      for (const value of ["-", bar.value]) {
        bar.value = value;
        bar.dispatchEvent(new KeyboardEvent("keyup"));
      }
    }
  }

  // The pages that exist in both languages.
  const translated = /^(learn\/|use\/(page|tests|embedding|incident)\.)/;
  const page = location.href.slice(new URL(path_to_root, location.href).href.length);
  if (translated.test(page)) document.querySelector(".site [hreflang]").href += page.replace(/[?#].*/, "");

  // The links to the chapters before and after it have their names.
  const [previous, next] = lang === "zh" ? ["上一页", "下一页"] : ["Previous chapter", "Next chapter"];
  for (const link of document.querySelectorAll(".nav-chapters, .mobile-nav-chapters")) {
    const chapter = [...document.querySelectorAll(".chapter a")].find((it) => it.href === link.href)?.textContent ?? "";
    link.title = link.classList.contains("next") ? next : previous;
    link.ariaLabel = [link.title, chapter].filter(Boolean).join(": ");
    if (link.matches(".mobile-nav-chapters")) {
      link.append(Object.assign(document.createElement("span"), { textContent: chapter }));
    }
  }

  // A guide among the pages about embedding.
  if (document.querySelector("lictor-guide")) {
    const site = new URL(lang === "zh" ? "../../" : "../", new URL(path_to_root, location.href)).href;
    document.head.append(Object.assign(document.createElement("script"), { src: `${site}guide.js` }));
  }

  // A value in a sentence that the reader can change: the figures, commands and sentences of its group follow.
  const ofGroup = (group) => document.querySelectorAll(`[data-group="${CSS.escape(group)}"]`);
  for (const select of document.querySelectorAll(".setting select")) {
    select.hidden = false;
    select.onchange = () => {
      const choice = select.selectedIndex;
      for (const element of ofGroup(select.dataset.group)) {
        if (element.dataset.texts) element.textContent = JSON.parse(element.dataset.texts)[choice];
        else if (element.dataset.choice) element.hidden = Number(element.dataset.choice) !== choice;
        else {
          element.selectedIndex = choice;
          element.previousElementSibling.textContent = element.value;
        }
      }
    };
  }

  // Roles that mdBook leaves out, and the keyboard's way to what scrolls sideways.
  for (const [id, role] of [["menu-bar", "banner"], ["search-wrapper", "search"]]) {
    document.getElementById(`mdbook-${id}`)?.setAttribute("role", role);
  }
  document.getElementById("mdbook-searchbar")?.setAttribute("aria-label", "Search");
  // The button of the sidebar is a label, which has no such states; its title names it.
  for (const name of ["aria-label", "aria-expanded"]) {
    document.getElementById("mdbook-sidebar-toggle")?.removeAttribute(name);
  }
  for (const element of document.querySelectorAll("main pre > code, main .table-wrapper, .demo pre")) {
    if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
  }

  const label = (id, text) => {
    const element = document.getElementById(id);
    if (!element) return;
    for (const name of ["title", "aria-label", "placeholder"]) {
      if (element.hasAttribute(name)) element.setAttribute(name, text);
    }
    if (element.getAttribute("role") === "menuitem") element.textContent = text;
  };
  label("mdbook-theme-navy", "Dark");
  if (lang !== "zh") return;
  for (const [id, text] of Object.entries({
    "mdbook-sidebar": "目录",
    "mdbook-sidebar-toggle": "显示或隐藏目录",
    "mdbook-theme-toggle": "更换主题",
    "mdbook-theme-list": "主题",
    "mdbook-theme-default_theme": "自动",
    "mdbook-theme-light": "浅色",
    "mdbook-theme-navy": "深色",
    "mdbook-search-toggle": "搜索（/）",
    "mdbook-searchbar": "搜索文档……",
  })) label(id, text);
  const print = document.querySelector('.right-buttons a[href$="print.html"]');
  print?.setAttribute("title", "打印全书");
  print?.setAttribute("aria-label", "打印全书");
  const header = document.getElementById("mdbook-searchresults-header");
  if (!header) return;
  // mdBook writes the number of results in English.
  new MutationObserver(() => {
    const count = /^(\d+|No) search results?/.exec(header.textContent);
    if (count) header.textContent = count[1] === "No" ? "没有结果" : `${count[1]} 个结果`;
  }).observe(header, { childList: true, characterData: true, subtree: true });
})();
