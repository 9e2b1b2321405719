// Builds a Module; internal to frontend.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "frontend/module.h"

namespace assay::frontend {

// Builds the module in passes over the instructions; each pass needs only the results of earlier
// passes.
class ModuleBuilder {
 public:
  ModuleBuilder(const Binary& binary, const Specialization& specialization)
      : binary_(binary), specialization_(specialization), module_(std::make_shared<Module>()) {}

  Expected<std::shared_ptr<const Module>> Build();

 private:
  using Step = Expected<void> (ModuleBuilder::*)();

  // module_builder.cc
  Expected<void> FlattenInstructions();
  Expected<void> ReadPreamble();
  Expected<void> ReadDeclarations();
  std::vector<Word> WithContinued(std::uint32_t place) const;
  Expected<void> AddGlobal(std::uint32_t place);
  Expected<void> ReadFunctions();
  Expected<void> ConnectBlocks();
  Expected<void> CheckSpecialization();
  void ReadLinkage();

  // module_annotations.cc
  Expected<void> ReadAnnotations();
  void AddName(const Instruction& instruction);
  void AddDecoration(const Instruction& instruction);
  Expected<void> ApplyGroups();
  void AddEntryPoint(const Instruction& instruction);
  void AddExecutionMode(const Instruction& instruction);
  Expected<void> ResolveLocalSizes();

  tl::unexpected<Error> Bad(const Instruction& instruction, std::string_view what) const;
  Range WordsAfter(const Instruction& instruction, std::size_t operand) const;

  const Binary& binary_;
  const Specialization& specialization_;
  std::shared_ptr<Module> module_;
  std::vector<std::uint32_t> groups_;  // places of OpGroupDecorate and OpGroupMemberDecorate
};

}  // namespace assay::frontend
