// OpenCL C for the requests about images: one program for each shape, kind of request and type.
//
// OpenCL C 6.15.15, "Image Read and Write Functions"; nothing that OpenCL C 1.2 lacks, but depth
// images and writes to 3D images (cl_khr_depth_images, cl_khr_3d_image_writes).
#pragma once

#include <string>

#include "oracle/devices/image_request.h"

namespace assay::oracle {

struct ImageKernel {
  std::string source;
  std::string name;
};
// The kernel of a kRead, kWrite or kQuery.
ImageKernel ImageKernelFor(const ImageRequest& request);

// Of a depth image: CL_DEPTH.
bool IsDepth(const ImageRequest& request);

}  // namespace assay::oracle
