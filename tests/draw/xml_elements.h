// SPDX-License-Identifier: Apache-2.0
// A strict reader for the XML that the tests look at: elements, attributes, text and the five kinds
// of references that are written. Throws std::runtime_error for anything malformed.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vsmax::drawing {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;                // directly inside, not of children
  std::vector<std::size_t> above;  // indices of the enclosing elements, outermost first

  double number(const std::string& attribute) const { return std::stod(attributes.at(attribute)); }
};

class XmlReader {
 public:
  // All elements of the document, in the order of their opening tags.
  static std::vector<Element> read(std::string_view document) {
    XmlReader reader{document};
    while (!reader.rest_.empty()) reader.step();
    if (!reader.open_.empty()) throw std::runtime_error("an element is not closed");
    return reader.elements_;
  }

 private:
  explicit XmlReader(std::string_view document) : rest_(document) {}

  std::string_view until(std::string_view stop) {
    const std::size_t end = rest_.find(stop);
    if (end == std::string_view::npos) throw std::runtime_error("missing " + std::string(stop));
    const std::string_view part = rest_.substr(0, end);
    rest_.remove_prefix(end + stop.size());
    return part;
  }

  static std::string unescaped(std::string_view text) {
    std::string result;
    while (!text.empty()) {
      if (text.front() == '<') throw std::runtime_error("a bare <");
      if (text.front() != '&') {
        result += text.front();
        text.remove_prefix(1);
        continue;
      }
      const std::size_t end = text.find(';');
      if (text.substr(0, 2) != "&#" || end == std::string_view::npos || end > 4)
        throw std::runtime_error("a bare &");
      result += static_cast<char>(std::stoi(std::string(text.substr(2, end - 2))));
      text.remove_prefix(end + 1);
    }
    return result;
  }

  void step() {
    const std::string text = unescaped(rest_.substr(0, rest_.find('<')));
    until("<");
    if (!open_.empty()) elements_[open_.back()].text += text;
    std::string_view tag = until(">");
    if (tag.front() == '/') {
      if (open_.empty() || elements_[open_.back()].name != tag.substr(1))
        throw std::runtime_error("a stray </" + std::string(tag.substr(1)) + ">");
      open_.pop_back();
      while (!rest_.empty() && rest_.front() == '\n') rest_.remove_prefix(1);
      return;
    }
    const bool closed = tag.back() == '/';
    if (closed) tag.remove_suffix(1);
    if (open_.empty() && !elements_.empty()) throw std::runtime_error("a second root");
    Element element;
    element.above = open_;
    element.name = tag.substr(0, tag.find(' '));
    tag.remove_prefix(element.name.size());
    while (!tag.empty()) {
      const std::size_t value = tag.find("='");
      const std::size_t end = tag.find('\'', value + 2);
      if (tag.front() != ' ' || end == std::string_view::npos)
        throw std::runtime_error("a malformed attribute in <" + element.name + ">");
      const bool is_new =
          element.attributes
              .emplace(tag.substr(1, value - 1), unescaped(tag.substr(value + 2, end - value - 2)))
              .second;
      if (!is_new) throw std::runtime_error("a repeated attribute in <" + element.name + ">");
      tag.remove_prefix(end + 1);
    }
    if (!closed) open_.push_back(elements_.size());
    elements_.push_back(std::move(element));
  }

  std::string_view rest_;
  std::vector<std::size_t> open_;
  std::vector<Element> elements_;
};

}  // namespace vsmax::drawing
